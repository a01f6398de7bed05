// What an archive's items make as property lists: the lists that keys were taken of, and a list of all other items.

internal import KeychainInterchange
internal import KeychainModel
internal import PropertyListCodec

struct GatheredLists {
  /// A list that is to be written.
  struct File {
    /// Path, mode and time, for lists in a folder.
    let item: KeychainItem
    let bytes: [UInt8]
  }

  private var lists: [RestoredList] = []
  private var indices: [[UInt8]: Int] = [:]
  private var others = ItemListWriter()
  /// Items of class `file` that are no lists.
  private(set) var otherFileCount: UInt64 = 0

  /// Adds an item. False for files.
  mutating func add(_ item: KeychainItem, _ value: [UInt8]?) -> Bool {
    if item.itemClass == .file {
      guard item[.listFormat] != nil, let value else {
        otherFileCount += 1
        return false
      }
      lists[index(of: item.pathBytes)].add(file: item, value)
      return false
    }
    guard item[.listType] != nil, let path = item.listPath, let value else {
      others.append(item, value: value)
      return true
    }
    lists[index(of: path)].add(item, value: value)
    return true
  }

  /// Whether an item goes into the list of items: it is no file, and was no key of a list.
  static func isOfNoList(_ item: KeychainItem) -> Bool {
    item.itemClass != .file && (item[.listType] == nil || item.listPath == nil)
  }

  private mutating func index(of path: [UInt8]) -> Int {
    if let index = indices[path] { return index }
    indices[path] = lists.count
    lists.append(RestoredList(path: path))
    return lists.count - 1
  }

  /// Whether there is more than one list.
  var makesFolder: Bool { lists.count + (others.isEmpty ? 0 : 1) > 1 }

  /// The lists, and what is not in them. An archive without items makes an empty list of items.
  func files() throws(CommandError) -> (files: [File], losses: [RestoredList.Loss]) {
    var files: [File] = []
    var losses: [RestoredList.Loss] = []
    for list in lists {
      do {
        let (bytes, lost) = try list.bytes()
        files.append(File(item: list.fileItem, bytes: bytes))
        losses += lost
      } catch {
        throw CommandError(error, file: FilePath(bytes: list.path))
      }
    }
    guard !others.isEmpty || lists.isEmpty else { return (files, losses) }
    var name = Array("items.plist".utf8)
    var number = 1
    while indices[name] != nil {
      number += 1
      name = Array("items-\(number).plist".utf8)
    }
    do {
      files.append(File(item: .restoredFile(path: name), bytes: try others.file()))
    } catch {
      throw CommandError(error, file: FilePath(bytes: name))
    }
    return (files, losses)
  }
}

extension KeychainItem {
  /// The path of the list that the item was a key of.
  fileprivate var listPath: [UInt8]? {
    switch self[.listFile] {
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    default: nil
    }
  }
}
