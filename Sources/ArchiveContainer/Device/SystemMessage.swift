// The system's words for its error numbers.

internal import Glibc

package enum SystemMessage {
  /// strerror(3) in lower case, as all our messages are: "no space left on device".
  package static func text(_ number: Int32) -> String {
    // glibc's strerror is safe for threads since 2.32; it never returns a null pointer.
    let message = unsafe String(cString: strerror(number))
    return message.prefix(1).lowercased() + message.dropFirst()
  }
}
