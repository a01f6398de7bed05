// Paths are bytes in this program; system calls want them to end with a zero byte.

/// A path for system calls, with the zero byte that ends it.
package func terminated(_ path: [UInt8]) -> [CChar] {
  path.map { CChar(bitPattern: $0) } + [0]
}
