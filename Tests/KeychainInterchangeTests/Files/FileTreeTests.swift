// Trees of files as items, and back: order, what is left out, what is not followed.

import ArchiveContainer
import ByteCoding
import Glibc
import KeychainModel
import Testing

@testable import KeychainInterchange

@Suite("Trees of files")
struct FileTreeTests {
  /// A folder with `a/b/c`, `a/link` to `b/c`, an empty `z`, and a FIFO `a/pipe`.
  private final class Tree {
    let path: String

    init() {
      var template = Array("/tmp/kcarchive-tree-XXXXXX".utf8CString)
      guard unsafe mkdtemp(&template) != nil else { fatalError("mkdtemp: error \(errno)") }
      path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      for name in ["a", "a/b", "z"] { unsafe mkdir("\(path)/\(name)", 0o755) }
      unsafe symlink("b/c", "\(path)/a/link")
      unsafe mkfifo("\(path)/a/pipe", 0o600)
      let descriptor = unsafe open("\(path)/a/b/c", O_WRONLY | O_CREAT, 0o640)
      _ = unsafe write(descriptor, "content", 7)
      close(descriptor)
    }

    deinit {
      for name in ["a/b/c", "a/link", "a/pipe"] { unsafe unlink("\(path)/\(name)") }
      for name in ["a/b", "a", "z", "."] { unsafe rmdir("\(path)/\(name)") }
      unsafe rmdir(path)
    }

    func bytes(_ name: String) -> [UInt8] { Array("\(path)/\(name)".utf8) }

    func identity(_ name: String) -> FileTreeReader.Identity? {
      FileTreeReader.Identity(path: bytes(name))
    }
  }

  /// What reading gives, in order: `file a/b/c`, `skipped a/pipe: a FIFO`.
  private func entries(_ reader: FileTreeReader, below folder: String) throws -> [String] {
    var reader = reader
    var entries: [String] = []
    let prefix = String(folder.utf8.dropFirst())! + "/"
    func name(_ path: String) -> String {
      path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }
    while let entry = try reader.next() {
      switch entry {
      case .item(let item), .file(let item, _):
        guard case .text(let path) = item[.path], case .text(let kind) = item[.kind] else {
          Issue.record("\(item)")
          continue
        }
        entries.append("\(kind) \(name(path))")
      case .skipped(let skipped):
        let path = String(decoding: skipped.path, as: UTF8.self)
        entries.append(
          "skipped \(path.dropFirst(folder.count + 1)): \(skipped.reason), loss \(skipped.isLoss)")
      }
    }
    return entries
  }

  @Test("A folder follows what is in it, in the order of bytes; links are kept")
  func order() throws {
    let tree = Tree()
    let reader = FileTreeReader(tree.bytes("a"), writing: nil, replacing: nil)
    #expect(
      try entries(reader, below: tree.path) == [
        "file a/b/c", "directory a/b", "link a/link", "skipped a/pipe: a FIFO, loss true",
        "directory a",
      ])
  }

  @Test("The archive leaves itself out silently, and what it replaces with a word")
  func itself() throws {
    let tree = Tree()
    let writing = FileTreeReader(
      tree.bytes("a/b"), writing: tree.identity("a/b/c"), replacing: nil)
    #expect(try entries(writing, below: tree.path) == ["directory a/b"])
    let replacing = FileTreeReader(
      tree.bytes("a/b"), writing: nil, replacing: tree.identity("a/b/c"))
    #expect(
      try entries(replacing, below: tree.path) == [
        "skipped a/b/c: the output, loss false", "directory a/b",
      ])
  }

  @Test("A path that is not there is an error with its number")
  func missing() {
    let tree = Tree()
    var reader = FileTreeReader(tree.bytes("none"), writing: nil, replacing: nil)
    do {
      _ = try reader.next()
      Issue.record("nothing was thrown")
    } catch {
      #expect(error.number == ENOENT && error.path == tree.bytes("none"))
    }
  }

  @Test("An item's value comes from a file below the folder of the JSON")
  func below() throws {
    let tree = Tree()
    let source = try FileSource(below: Array(tree.path.utf8), Array("a/b/c".utf8))
    #expect(source.byteCount == 7)
    var content = [UInt8](repeating: 0, count: 16)
    var span = content.mutableBytes
    #expect(try source.read(into: &span) == 7)
    #expect(content.prefix(7) == Array("content".utf8)[...])
  }

  @Test(
    "Links, folders and pipes are no values",
    arguments: [
      ("a/link", ELOOP), ("a/b", EINVAL), ("a/pipe", EINVAL), ("none", ENOENT),
      ("a/link/x", ENOTDIR),
      ("a/b/c/d", ENOTDIR), ("", EISDIR), ("a/../a/b/c", nil),
    ] as [(String, Int32?)])
  func refused(_ path: String, _ number: Int32?) {
    let tree = Tree()
    do throws(FileError) {
      _ = try FileSource(below: Array(tree.path.utf8), Array(path.utf8))
      #expect(number == nil)
    } catch {
      #expect(error.number == number)
    }
  }
}
