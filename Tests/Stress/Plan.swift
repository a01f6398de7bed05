// How much of a load, how long, and on which archive.

import Foundation
import KeychainArchive
import Security

struct Plan {
  var processes = 8
  var threads = 100
  var seconds = 60.0
  var folder = ""
  /// Nil in the process that starts the others.
  var process: Int?
  var deadline = Date.distantFuture

  static let itemsOfThread = 4
  static let counters = 4

  static func counterName(_ number: Int) -> String { "counter \(number)" }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let text = rest.popFirst() else { throw Violation("\(name) needs a value") }
      switch name {
      case "--processes": processes = Int(text) ?? 0
      case "--threads": threads = Int(text) ?? 0
      case "--seconds": seconds = Double(text) ?? 0
      case "--folder": folder = text
      case "--process": process = Int(text)
      case "--deadline": deadline = Date(timeIntervalSince1970: Double(text) ?? 0)
      default: throw Violation("there is no option '\(name)'")
      }
    }
    guard processes > 0, threads > 0, seconds > 0 else {
      throw Violation(
        "usage: keychain-stress [--processes N] [--threads N] [--seconds N]")
    }
  }

  /// The arguments of the process `number`.
  func arguments(_ number: Int) -> [String] {
    [
      "--processes", "\(processes)", "--threads", "\(threads)", "--folder", folder,
      "--process", "\(number)", "--deadline", "\(deadline.timeIntervalSince1970)",
    ]
  }

  /// Makes the archive of the folder the default keychain. Its key file is known to all: no KDF runs.
  func openKeychain() throws {
    try SecDefaultKeychain.use(
      path: "\(folder)/stress.kcarchive",
      credentials: [.keyFile(Array("the key of the stress test, known to all".utf8))])
  }

  /// Where the process `number` tells what its items hold.
  func reportPath(_ number: Int) -> String { "\(folder)/report-\(number).json" }
}

/// What a process knows in the end.
struct Report: Codable {
  var held: [String: Data] = [:]
  var counted: [Int: Int] = [:]
  var callCount = 0
  var violations: [String] = []
}
