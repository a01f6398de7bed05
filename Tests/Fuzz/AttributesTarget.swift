// The attributes of an item as they stand in a frame: what is taken is stored with the same bytes.

import ByteCoding
import KeychainModel

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAttributes(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  guard let item = try? KeychainItem(encodedAttributes: bytes.bytes) else { return 0 }
  var stored: [UInt8] = []
  try! item.encodedAttributes(into: &stored)
  precondition(stored == bytes, "attributes")
  _ = item.displayName
  _ = item.attributes.count
  return 0
}
