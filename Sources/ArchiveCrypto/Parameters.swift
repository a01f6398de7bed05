// OpenSSL's parameter lists. A parameter keeps the pointers that it is made of, so a name may not be
// a string that Swift turns into a C string for the one call: that one is gone when the list is read.

internal import COpenSSL

extension OSSL_PARAM {
  /// A text that lives as long as the program.
  static func text(_ name: StaticString, _ value: StaticString) -> OSSL_PARAM {
    // OpenSSL's parameters are not const, but it only reads those that are set.
    unsafe OSSL_PARAM_construct_utf8_string(
      name.cString, UnsafeMutablePointer(mutating: value.cString), value.utf8CodeUnitCount)
  }

  /// A number, which has to outlive the parameter.
  static func number(_ name: StaticString, _ value: UnsafeMutablePointer<Int32>) -> OSSL_PARAM {
    unsafe OSSL_PARAM_construct_int(name.cString, value)
  }

  /// Bytes, which have to outlive the parameter.
  static func bytes(_ name: StaticString, _ value: UnsafeRawBufferPointer) -> OSSL_PARAM {
    unsafe OSSL_PARAM_construct_octet_string(
      name.cString, UnsafeMutableRawPointer(mutating: value.baseAddress), value.count)
  }

  /// What ends every list.
  static var end: OSSL_PARAM { unsafe OSSL_PARAM_construct_end() }
}

extension StaticString {
  /// A literal ends with a zero byte and lives as long as the program.
  fileprivate var cString: UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
