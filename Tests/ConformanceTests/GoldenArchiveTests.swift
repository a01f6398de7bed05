import ByteCoding
import KeychainArchive
import KeychainModel
import Testing

struct GoldenArchiveTests {
  @Test("a golden archive has its items with their values", arguments: try GoldenArchive.all())
  func items(golden: GoldenArchive) throws {
    let archive = try golden.open()
    let expected = try golden.expectedItems()
    #expect(archive.itemCount == UInt64(expected.count))
    let found = try archive.items(matching: AttributeQuery()).map {
      try ExpectedItem($0, of: archive)
    }
    #expect(found == expected)
  }

  @Test("its index finds each of them", arguments: try GoldenArchive.all())
  func lookup(golden: GoldenArchive) throws {
    let archive = try golden.open()
    for expected in try golden.expectedItems() {
      let query = AttributeQuery(
        expected.item.itemClass, conditions: expected.item.attributes)
      let found = try archive.items(matching: query)
      #expect(found.contains { $0.item == expected.item }, "\(expected.item.displayName)")
    }
  }

  @Test("no other credential opens it", arguments: try GoldenArchive.all())
  func wrongCredential(golden: GoldenArchive) throws {
    let stranger = [UInt8](repeating: 0x2a, count: 32)
    let credentials: [ArchiveCredential] = [try .passphrase(stranger), try .keyFile(stranger)]
    let error = #expect(throws: ArchiveError.self) {
      _ = try KeychainArchive.open(path: golden.path, credentials: credentials)
    }
    #expect(error?.code == .wrongCredential)
  }
}
