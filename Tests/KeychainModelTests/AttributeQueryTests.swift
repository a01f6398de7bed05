// Queries: what matches, and when a query can go through the index.

import KeychainModel
import Testing

private let alice = KeychainItem(
  .genericPassword,
  [
    .account: .text("alice"), .service: .text("com.example.app"), .label: .text("Example"),
    .accessGroup: .text("G"), AttributeKey(column: "owner"): .bytes([0x78]),
    AttributeKey(column: "flag"): .boolean(true),
  ])

struct QueryCase: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let query: AttributeQuery
  let matches: Bool
}

@Suite("Queries")
struct AttributeQueryTests {
  static let cases: [QueryCase] = [
    QueryCase(testDescription: "nothing asked", query: AttributeQuery(), matches: true),
    QueryCase(
      testDescription: "its class", query: AttributeQuery(.genericPassword), matches: true),
    QueryCase(
      testDescription: "another class", query: AttributeQuery(.internetPassword), matches: false),
    QueryCase(
      testDescription: "two of its attributes",
      query: AttributeQuery(nil, [.service: .text("com.example.app"), .account: .text("alice")]),
      matches: true),
    QueryCase(
      testDescription: "one that differs",
      query: AttributeQuery(nil, [.service: .text("com.example.app"), .account: .text("bob")]),
      matches: false),
    QueryCase(
      testDescription: "a prefix of a value",
      query: AttributeQuery(nil, [.account: .text("alic")]), matches: false),
    QueryCase(
      testDescription: "bytes for text",
      query: AttributeQuery(nil, [.label: .bytes(Array("Example".utf8))]),
      matches: true),
    QueryCase(
      testDescription: "a label that another item has not",
      query: AttributeQuery(nil, [.comment: .text("")]), matches: false),
    QueryCase(
      testDescription: "a tombstone mark that is missing",
      query: AttributeQuery(nil, [.tombstone: .integer(0)]), matches: true),
    QueryCase(
      testDescription: "a tombstone", query: AttributeQuery(nil, [.tombstone: .integer(1)]),
      matches: false),
    QueryCase(
      testDescription: "the default of a column of another class",
      query: AttributeQuery(nil, [.port: .integer(0)]), matches: false),
    QueryCase(
      testDescription: "an attribute not known, as text",
      query: AttributeQuery(nil, [AttributeKey(column: "owner"): .text("x")]), matches: true),
    QueryCase(
      testDescription: "an attribute not known, as a number",
      query: AttributeQuery(nil, [AttributeKey(column: "flag"): .integer(1)]), matches: true),
    QueryCase(
      testDescription: "an attribute not known, another number",
      query: AttributeQuery(nil, [AttributeKey(column: "flag"): .integer(0)]), matches: false),
    QueryCase(
      testDescription: "the class as an attribute",
      query: AttributeQuery(nil, [.itemClass: .text("genp")]), matches: true),
    QueryCase(
      testDescription: "another class as an attribute",
      query: AttributeQuery(nil, [.itemClass: .text("inet")]), matches: false),
  ]

  @Test(
    "an item matches when it meets every condition",
    arguments: cases)
  func matching(test: QueryCase) {
    #expect(test.query.matches(alice) == test.matches)
  }

  @Test("a query that names all of a key's attributes gives that key", arguments: keyVectors)
  func keys(vector: KeyVector) {
    let columns = vector.item.itemClass.primaryKey ?? []
    var query = AttributeQuery(vector.item.itemClass)
    for key in columns {
      // What the item lacks, asked for by the default that stands for it.
      query[key] = vector.item[key] ?? defaultValue(key)
    }
    #expect(query.lookupKey == vector.lookup)
    #expect(query.primaryKey == (vector.item.itemClass.isKnown ? vector.primary : nil))
  }

  private func defaultValue(_ key: AttributeKey) -> AttributeValue {
    switch KnownAttribute(key)?.columnType {
    case .data: .bytes([])
    case .number, .boolean: .integer(0)
    case .date: .date(0)
    case .text, nil: .text("")
    }
  }

  @Test(
    "a query that leaves out one attribute of a key does not give it", arguments: ItemClass.allKnown
  )
  func incomplete(itemClass: ItemClass) throws {
    let lookup = itemClass.lookupKey
    let primary = try #require(itemClass.primaryKey)
    for left in primary {
      var query = AttributeQuery(itemClass)
      for key in primary where key != left { query[key] = .text("x") }
      #expect(query.primaryKey == nil)
      #expect((query.lookupKey == nil) == lookup.contains(left))
    }
  }

  @Test("without a class there is no key")
  func noClass() {
    let query = AttributeQuery(nil, [.account: .text("alice"), .service: .text("s")])
    #expect(query.lookupKey == nil)
    #expect(query.primaryKey == nil)
  }

  @Test("conditions can be read, changed and taken out")
  func changing() {
    var query = AttributeQuery(.genericPassword, [.account: .text("bob"), .account: .text("eve")])
    #expect(query[.account] == .text("eve"))
    #expect(!query.matches(alice))
    query[.account] = .bytes(Array("alice".utf8))
    #expect(query.matches(alice))
    query[.account] = nil
    #expect(query == AttributeQuery(.genericPassword))
  }
}
