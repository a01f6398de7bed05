// The calls that the program made on the files of a folder, and the states of that folder which a crash could
// have left. Names are as lasting as bytes: a rename is lost where the directory was not synced behind it.

import ByteCoding
import TestSupport

/// A call as the library in front of the program remembered it; files by their inodes.
enum RecordedCall {
  case opened(name: String, inode: UInt64)
  case created(name: String, inode: UInt64)
  case openedDirectory(inode: UInt64)
  case done(DeviceOperation, inode: UInt64)
  case renamed(from: String, to: String)
  case removed(name: String)
  /// A call of this kind was made to fail.
  case failed(Character)

  struct Malformed: Error {}

  /// Reads the library's log.
  static func read(_ log: [UInt8], within folder: String) throws -> [RecordedCall] {
    var calls: [RecordedCall] = []
    var position = 0
    while position + 21 <= log.count {
      let (kind, inode) = (log[position], log.bytes.u64(at: position + 1))
      let offset = Int(log.bytes.u64(at: position + 9))
      let count = Int(log.bytes.u32(at: position + 17))
      position += 21
      guard position + count <= log.count else { throw Malformed() }
      let content = Array(log[position..<(position + count)])
      position += count
      func name(_ bytes: some Sequence<UInt8>) throws -> String {
        let path = String(decoding: Array(bytes), as: UTF8.self)
        guard path.hasPrefix("\(folder)/") else { throw Malformed() }
        return String(path.dropFirst(folder.utf8.count + 1))
      }
      switch Character(Unicode.Scalar(kind)) {
      case "o": calls.append(.opened(name: try name(content), inode: inode))
      case "c": calls.append(.created(name: try name(content), inode: inode))
      case "d": calls.append(.openedDirectory(inode: inode))
      case "w": calls.append(.done(.write(content, at: offset), inode: inode))
      case "t": calls.append(.done(.truncate(to: offset), inode: inode))
      case "s": calls.append(.done(.sync, inode: inode))
      case "n":
        let names = content.split(separator: 0)
        guard names.count == 2 else { throw Malformed() }
        calls.append(.renamed(from: try name(names[0]), to: try name(names[1])))
      case "u": calls.append(.removed(name: try name(content)))
      case "!": calls.append(.failed(Character(Unicode.Scalar(content[0]))))
      default: throw Malformed()
      }
    }
    guard position == log.count else { throw Malformed() }
    return calls
  }
}

/// A folder without folders in it, some of whose changes are not on the disk yet.
struct UnsyncedFolder {
  private enum NameChange {
    case given(String, file: Int)
    case renamed(String, String)
    case removed(String)
  }

  /// Files by a number of their own: an inode may be another file's by and by.
  private var files: [UnsyncedFile] = []
  private var numbers: [UInt64: Int] = [:]
  private var directories: Set<UInt64> = []
  /// Names that survive a crash for certain, and the changes since.
  private var synced: [String: Int] = [:]
  private var pending: [NameChange] = []
  /// The file that the last call wrote.
  private var written: Int?

  init(_ contents: [String: [UInt8]]) {
    for (name, content) in contents {
      synced[name] = files.count
      files.append(UnsyncedFile(content))
    }
  }

  mutating func perform(_ call: RecordedCall) {
    written = nil
    switch call {
    case .opened(let name, let inode): numbers[inode] = names(pending.count)[name]
    case .created(let name, let inode):
      numbers[inode] = files.count
      pending.append(.given(name, file: files.count))
      files.append(UnsyncedFile())
    case .openedDirectory(let inode): directories.insert(inode)
    case .done(.sync, let inode) where directories.contains(inode):
      synced = names(pending.count)
      pending = []
    case .done(let operation, let inode):
      guard let number = numbers[inode] else { preconditionFailure("a file that was not opened") }
      files[number].perform(operation)
      if case .write = operation { written = number }
    case .renamed(let from, let to): pending.append(.renamed(from, to))
    case .removed(let name): pending.append(.removed(name))
    case .failed: break
    }
  }

  /// What programs see.
  var contents: [String: [UInt8]] {
    names(pending.count).mapValues { files[$0].contents }
  }

  /// The states that a crash behind the last call could leave: the last write torn; and for each number of
  /// changed names that are on the disk all bytes, none that are not synced, or some.
  func crashStates(subsets: Int, using random: inout SeededGenerator) -> [[String: [UInt8]]] {
    var states: [[String: [UInt8]]] = []
    for count in 0...pending.count {
      let names = names(count)
      states.append(names.mapValues { files[$0].contents })
      states.append(names.mapValues { files[$0].synced })
      for _ in 0..<subsets {
        let remains = files.map { $0.remains(using: &random) }
        states.append(names.mapValues { remains[$0] })
      }
    }
    if let written {
      for torn in files[written].torn {
        states.append(
          names(pending.count).mapValues { $0 == written ? torn : files[$0].contents })
      }
    }
    return states
  }

  /// The names when so many changes have reached the disk.
  private func names(_ count: Int) -> [String: Int] {
    var names = synced
    for change in pending.prefix(count) {
      switch change {
      case .given(let name, let file): names[name] = file
      case .renamed(let from, let to):
        names[to] = names[from]
        names[from] = nil
      case .removed(let name): names[name] = nil
      }
    }
    return names
  }
}
