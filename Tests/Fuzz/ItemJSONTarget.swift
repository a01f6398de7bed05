// Items as JSON: what is read comes back when it is written and read again, with its value.

import ArchiveCrypto
import ByteCoding
import KeychainInterchange
import KeychainModel

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzItemJSON(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  var value = SecretBytes(count: 0)
  guard let (item, place) = try? ItemJSON.read(bytes.bytes, value: &value) else { return 0 }
  var writer = ItemJSONWriter()
  var text = SecretBytes(count: 0, capacity: 4096)
  switch place {
  case .inMemory: writer.append(item, value: value.bytes, to: &text)
  case .absent, .file: writer.append(item, value: nil, to: &text)
  }
  var again = SecretBytes(count: 0)
  let (copy, copyPlace) = try! ItemJSON.read(text.bytes, value: &again)
  precondition(copy == item, "item")
  if case .inMemory = place {
    precondition(copyPlace == .inMemory, "value")
    precondition(constantTimeEqual(again.bytes, value.bytes), "value")
  }
  return 0
}
