import PropertyListCodec
import Testing

@Suite(.enabled(if: Corpus.isThere, Corpus.comment))
struct RecreatedArchiveTests {
  @Test("explore")
  func explore() throws {
    for file in Corpus.archives where file.kind == "keyed-bplist" {
      let bytes = try file.bytes
      let archive = try KeyedArchive(PropertyListDocument(bytes))
      guard let value = try? archive.plainValue() else { continue }
      guard archive.top.count == 1, archive.top[0].name == "root" else { continue }
      var same: [Bool] = []
      for mutable in [false, true] {
        var options = KeyedArchive.WritingOptions()
        options.usesMutableClasses = mutable
        let written = try value.keyedArchive(options: options)
        let again = try KeyedArchive(PropertyListDocument(written)).plainValue()
        #expect(again == value)
        same.append(written == bytes)
      }
      print("RECREATED", file.name, same)
    }
  }
}
