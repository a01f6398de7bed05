// Foundation beside our codec: reads a property list or a keyed archive whole and prints how many elements
// its root has, or writes a list as a keyed archive. Compiled by `make bench`; no part of the package, which has no
// Foundation.

import Foundation

/// What the dictionaries of the lists are.
struct Row: Decodable {
  let name: String
  let identifier: Int
  let score: Double
  let created: Date
  let token: Data
  let enabled: Bool
  let group: String
}

let arguments = CommandLine.arguments
let usage = "usage: foundation-peer list|types|archive FILE, foundation-peer keyed FILE OUTPUT"
guard arguments.count >= 3, let data = FileManager.default.contents(atPath: arguments[2]) else {
  fatalError(usage)
}
let root: Any?
switch arguments[1] {
case "list":
  root = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
case "types": root = try PropertyListDecoder().decode([Row].self, from: data)
case "archive":
  let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
  unarchiver.requiresSecureCoding = false
  root = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
case "keyed":
  root = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
  let archive = try NSKeyedArchiver.archivedData(
    withRootObject: root as Any, requiringSecureCoding: false)
  try archive.write(to: URL(fileURLWithPath: arguments[3]))
default: fatalError(usage)
}
print((root as? [Any])?.count ?? -1)
