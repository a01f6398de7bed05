// Typed streams: what is read can be asked for everything, every object is looked at, and places are in the stream.

import PropertyListCodec

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTypedStream(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let document = unsafe read(start, count), document.format == .typedStream else { return 0 }
  walk(document)
  for index in 0..<document.nodeCount {
    precondition(document.range(of: PropertyListNode(index: index)).upperBound <= count, "place")
  }
  let archive = try! KeyedArchive(document)
  precondition(archive.irregularityCount == 0, "irregular")
  for number in 0..<archive.objectCount {
    let object = KeyedArchive.Object(number: number)
    if case .record(_, let found) = try! archive.value(of: .object(object)) {
      precondition(found == archive.fields(of: object), "record")
    }
  }
  _ = try? archive.plainValue()
  let description = try! PropertyListDescription(document.bytes)
  _ = try? description.text()
  _ = try? description.json()
  return 0
}
