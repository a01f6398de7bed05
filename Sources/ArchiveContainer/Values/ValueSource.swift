// Where the bytes of a value come from when it is packed.

/// A value that is read once, from its start to its end.
package protocol ValueSource: AnyObject {
  /// How long it is, where that is known before it is read.
  var byteCount: UInt64? { get }

  /// Reads into the front of `target`; less than asked only at the end.
  func read(into target: inout MutableRawSpan) throws(ContainerError) -> Int
}
