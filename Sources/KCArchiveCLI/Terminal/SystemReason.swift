// What the C library says about a failed system call, in the tone of our messages.

internal import Glibc

/// The reason for the error number `code`, beginning in lower case: `no such file or directory`.
package func systemReason(_ code: Int32) -> String {
  // glibc keeps the buffer per thread; the text is copied before anything else can run on this one.
  guard let characters = unsafe strerror(code) else { return "error \(code)" }
  let text = unsafe String(cString: characters)
  guard let first = text.utf8.first, text.utf8.dropFirst().first.map({ $0 >= 0x61 }) ?? false else {
    return text
  }
  return String(decoding: [first | 0x20] + text.utf8.dropFirst(), as: UTF8.self)
}

/// Whether `code` says that there is no such file.
package func isNotFound(_ code: Int32) -> Bool {
  code == ENOENT || code == ENOTDIR
}
