// XML lists: whatever is read is walked whole, and is the same when written and read again, as XML and binary.

import PropertyListCodec

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzXMLList(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let document = unsafe read(start, count), document.format == .xml else { return 0 }
  walk(document)
  guard let value = try? document.value() else { return 0 }
  if let written = try? value.xml(sortsKeys: false) {
    precondition(try! PropertyListDocument(written).value() == value, "written")
  }
  if let written = try? document.binary() {
    precondition(try! PropertyListDocument(written).value() == value, "as binary")
  }
  return 0
}
