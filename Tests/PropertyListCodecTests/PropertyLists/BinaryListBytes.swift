// Binary lists put together object by object, so that tests can make what no writer makes.

import ByteCoding

/// The file with these objects, each given with its marker.
func binaryList(
  _ objects: [[UInt8]], top: Int = 0, offsetSize: Int = 1, referenceSize: Int = 1,
  version: String = "00"
) -> [UInt8] {
  var file = Array("bplist\(version)".utf8)
  var offsets: [Int] = []
  for object in objects {
    offsets.append(file.count)
    file += object
  }
  let table = file.count
  for offset in offsets { file += bigEndian(offset, width: offsetSize) }
  file += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
  for field in [objects.count, top, table] { file += bigEndian(field, width: 8) }
  return file
}

func bigEndian(_ value: Int, width: Int) -> [UInt8] {
  (0..<width).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
}

func bytes(hex: String) -> [UInt8] {
  let digits = Array(hex.utf8.filter { $0 != UInt8(ascii: " ") })
  return (try? Hex.decode(digits.bytes)) ?? []
}
