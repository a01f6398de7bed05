// Foundation beside our codec: reads a property list or a keyed archive whole and prints how many elements
// its root has. Compiled by `make bench`; no part of the package, which has no Foundation.

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
guard arguments.count == 3, let data = FileManager.default.contents(atPath: arguments[2]) else {
  fatalError("usage: foundation-peer list|types|archive FILE")
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
default: fatalError("usage: foundation-peer list|types|archive FILE")
}
print((root as? [Any])?.count ?? -1)
