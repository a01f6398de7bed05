// A directory of a test's own, gone when the test is.

internal import Glibc

package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() {
    var template = Array("/tmp/kcarchive-test.XXXXXX".utf8CString)
    path = unsafe template.withUnsafeMutableBufferPointer { name in
      guard let made = unsafe mkdtemp(name.baseAddress!) else {
        preconditionFailure("no temporary directory")
      }
      return unsafe String(cString: made)
    }
  }

  deinit {
    for name in names { unsafe unlink("\(path)/\(name)") }
    unsafe rmdir(path)
  }

  /// The names of what is in it, sorted.
  package var names: [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The bytes of a path, as `NewFile` takes them.
  package func bytes(_ name: String) -> [UInt8] { Array(file(name).utf8) }

  package func write(_ content: [UInt8], to name: String, mode: UInt32 = 0o644) {
    let descriptor = unsafe open(file(name), O_WRONLY | O_CREAT | O_TRUNC, mode_t(mode))
    precondition(descriptor >= 0)
    let written = unsafe content.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    precondition(written == content.count)
    close(descriptor)
  }

  package func read(_ name: String) -> [UInt8]? {
    let descriptor = unsafe open(file(name), O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes {
        unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count <= 0 { return content }
      content += buffer[..<count]
    }
  }

  /// The permission bits of a file.
  package func mode(_ name: String) -> UInt32? {
    var status = stat()
    guard unsafe lstat(file(name), &status) == 0 else { return nil }
    return status.st_mode & 0o7777
  }

  package func isLink(_ name: String) -> Bool {
    var status = stat()
    return unsafe lstat(file(name), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  package func link(_ name: String, to target: String) {
    precondition(unsafe symlink(target, file(name)) == 0)
  }
}
