// OpenStep lists: whatever is read is walked whole, and is the same when written and read again, as OpenStep and binary;
// and a value can be taken out of it or replaced, without harm to the rest.

import PropertyListCodec

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOpenStepList(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  _ = PropertyListDocument.format(of: bytes)
  guard let document = try? PropertyListDocument(bytes, as: .openStep) else { return 0 }
  walk(document)
  guard let value = try? document.value() else { return 0 }
  var options = OpenStepWritingOptions()
  options.sortsKeys = false
  options.usesTypedValues = true
  options.isStringsFile = document.isStringsFile
  if let written = try? value.openStep(options) {
    precondition(
      try! PropertyListDocument(written, as: .openStep).value() == value, "written")
  }
  if let written = try? document.binary() {
    precondition(try! PropertyListDocument(written).value() == value, "as binary")
  }
  change(document)
  return 0
}

/// Removes and replaces the first value in the root.
private func change(_ document: PropertyListDocument) {
  let count = document.children(of: document.root).count
  let place = PropertyListDocument.Place(container: document.root, position: 0)
  guard document.node(at: place) != nil else { return }
  let isDictionary = document.kind(of: document.root) == .dictionary
  if let removed = changed({ () throws(PropertyListError) in
    try document.bytes(replacing: [:], removing: [place])
  }) {
    precondition(
      removed.children(of: removed.root).count == count - (isDictionary ? 2 : 1), "removed")
  }
  let new = PropertyListValue.array([.string("a b")])
  if let replaced = changed({ () throws(PropertyListError) in
    try document.bytes(replacing: [:], at: [place: new])
  }) {
    precondition(
      try! replaced.node(at: place).map { try replaced.value(of: $0) } == new, "replaced")
  }
}

/// A changed list. Nil where the change is refused because the rest would be in another encoding.
private func changed(_ change: () throws(PropertyListError) -> [UInt8]) -> PropertyListDocument? {
  let bytes: [UInt8]
  do throws(PropertyListError) {
    bytes = try change()
  } catch {
    precondition(error.code == .unsupportedEncoding, "\(error)")
    return nil
  }
  return try! PropertyListDocument(bytes, as: .openStep)
}
