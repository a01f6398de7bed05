// Who wrote an item, in what the verbs print: Spec/cli.md, sections 2.2, 2.4 and 2.5.

internal import KeychainInterchange
internal import PropertyListCodec

extension JSONWriter {
  /// `{"names":[T, ...],"certainty":T,"form":T}`, with `"count":N` where it is of several items.
  mutating func writer(_ origin: ItemOrigin, count: UInt64? = nil) {
    beginObject()
    key("names")
    beginArray()
    for writer in origin.writers { string(writer.rawValue) }
    endArray()
    key("certainty")
    string(origin.certainty.rawValue)
    key("form")
    string(origin.form.rawValue)
    if let count {
      key("count")
      integer(count)
    }
    endObject()
  }
}
