// A pipe's ciphertext in an unlinked file, for readers that have to look at it at random.

internal import ByteCoding
internal import Glibc

package enum Spool {
  /// Copies all that `source` still gives into a file without a name, in `directory`.
  ///
  /// Only sealed bytes are written; the file is gone with its descriptor.
  package static func copy(
    _ source: any Device, in directory: String
  ) throws(ContainerError) -> FileDevice {
    var template = Array("\(directory)/.kcarchive-spool.XXXXXX".utf8CString)
    let descriptor = unsafe template.withUnsafeMutableBufferPointer { name -> CInt in
      let descriptor = unsafe mkstemp(name.baseAddress!)
      if descriptor >= 0 { unsafe unlink(name.baseAddress!) }
      return descriptor
    }
    guard descriptor >= 0 else {
      throw ContainerError(DeviceError(operation: "creating a spool file", number: errno))
    }
    let target = FileDevice(descriptor: descriptor)
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var position: UInt64 = 0
    while true {
      let count = try source.fetch(into: &buffer, 0..<buffer.count, at: position)
      if count == 0 { return target }
      try target.put(buffer.bytes.extracting(0..<count), at: position)
      position += UInt64(count)
    }
  }
}
