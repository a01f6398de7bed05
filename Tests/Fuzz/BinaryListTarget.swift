// Binary lists: whatever is read is walked whole, and is the same when written and read again.

import PropertyListCodec

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBinaryList(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let document = unsafe read(start, count), document.format == .binary else { return 0 }
  walk(document)
  guard let value = try? document.value() else { return 0 }
  precondition(document.bytes.count == count)
  if let written = try? document.binary() {
    precondition(try! PropertyListDocument(written).value() == value, "copied")
  }
  if let written = try? value.binary() {
    precondition(try! PropertyListDocument(written).value() == value, "written")
  }
  if let written = try? value.xml(sortsKeys: false) {
    precondition((try? PropertyListDocument(written).value()) != nil, "as XML")
  }
  return 0
}
