// What the targets share. The linker takes one target's entry point with it.

import PropertyListCodec

func read(_ start: UnsafePointer<UInt8>, _ count: Int) -> PropertyListDocument? {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  return try? PropertyListDocument(bytes)
}

/// Asks for all that a document can say of its nodes.
func walk(_ document: PropertyListDocument) {
  for index in 0..<document.nodeCount {
    let node = PropertyListNode(index: index)
    precondition(document.range(of: node).upperBound <= 4 * document.bytes.count + 4)
    _ = document.rawBytes(of: node)
    _ = document.string(of: node)
    _ = document.utf16(of: node)
    _ = document.integer(of: node)
    _ = document.real(of: node)
    _ = document.date(of: node)
    _ = document.data(of: node)
    _ = document.uid(of: node)
    _ = document.url(of: node)
    for child in document.children(of: node) { precondition(child.index < document.nodeCount) }
  }
}
