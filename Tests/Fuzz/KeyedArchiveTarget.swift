// Keyed archives, in binary and XML lists: every object is looked at, and a plain value is the same from an
// archive of it.

import PropertyListCodec

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeyedArchive(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let document = unsafe read(start, count) else { return 0 }
  if let value = try? document.value(), let written = try? value.keyedArchive() {
    let archive = try! KeyedArchive(PropertyListDocument(written))
    precondition(try! archive.plainValue() == value, "archived")
  }
  guard let archive = try? KeyedArchive(document) else { return 0 }
  for number in 0..<archive.objectCount {
    let object = KeyedArchive.Object(number: number)
    let fields = archive.fields(of: object)
    if case .record(let archived, let found) = try? archive.value(of: .object(object)) {
      precondition(found == fields && archived == archive.archivedClass(of: object), "record")
    }
    for field in fields { _ = try? archive.value(of: field.value) }
  }
  if let value = try? archive.plainValue(), let written = try? value.keyedArchive() {
    let again = try! KeyedArchive(PropertyListDocument(written))
    precondition(try! again.plainValue() == value, "archived again")
  }
  return 0
}
