// The attribute table: names to columns and back.

import Foundation
import KeychainModel
import Testing

@Suite("The attribute table")
struct AttributeTableTests {
  @Test(
    "a name means a column, and the column has that name",
    arguments: [
      ("account", "acct"), ("service", "svce"), ("accessGroup", "agrp"), ("created", "cdat"),
      ("modified", "mdat"), ("accessible", "pdmn"), ("synchronizable", "sync"), ("label", "labl"),
      ("server", "srvr"), ("protocol", "ptcl"), ("generic", "gena"), ("uuid", "UUID"),
      ("persistentReference", "persistref"), ("isInvisible", "invi"), ("type", "type"),
      ("subjectKeyID", "skid"), ("canVerifyRecover", "vyrc"), ("sharingGroup", "ggrp"),
      ("path", "path"), ("mode", "mode"), ("modificationTime", "mtim"), ("kind", "fkin"),
      ("link", "link"), ("class", "clas"), ("plistType", "plistType"), ("", ""),
    ])
  func names(name: String, column: String) {
    #expect(AttributeKey(named: name) == AttributeKey(column: column))
    #expect(AttributeKey(column: column).name == name)
  }

  @Test("a column is taken for itself, whatever it is", arguments: KnownAttribute.all.map(\.key))
  func columns(key: AttributeKey) {
    #expect(AttributeKey(named: key.column) == key)
  }

  @Test(
    "other names for the same columns",
    arguments: [
      ("keyType", "type"), ("keyCreator", "crtr"), ("creationDate", "cdat"),
      ("modificationDate", "mdat"), ("clas", "clas"),
    ])
  func otherNames(name: String, column: String) {
    #expect(AttributeKey(named: name).column == column)
  }

  @Test("the columns that keys share with passwords have SecItem's names for keys there")
  func namesInKeys() {
    #expect(AttributeKey.type.name(in: .key) == "keyType")
    #expect(AttributeKey.type.name(in: .identity) == "keyType")
    #expect(AttributeKey.type.name(in: .internetPassword) == "type")
    #expect(AttributeKey.creator.name(in: .key) == "keyCreator")
    #expect(AttributeKey.label.name(in: .key) == "label")
  }

  @Test("no two rows share a column or a name, and no name is another row's column")
  func distinct() {
    let rows = KnownAttribute.all
    let names = rows.flatMap { [$0.name] + ($0.nameInKeys.map { [$0] } ?? []) }
    #expect(Set(rows.map(\.key)).count == rows.count)
    #expect(Set(names).count == names.count)
    for row in rows {
      for name in [row.name] + (row.nameInKeys.map { [$0] } ?? []) {
        #expect(AttributeKey(named: name) == row.key)
      }
    }
  }

  @Test(
    "every attribute of a primary key is in the table, for that class",
    arguments: ItemClass.allKnown)
  func primaryKeys(itemClass: ItemClass) throws {
    let keys = try #require(itemClass.primaryKey)
    for key in keys {
      let row = try #require(KnownAttribute(key))
      #expect(row.classes.contains(itemClass))
      #expect(row.primaryKeyClasses.contains(itemClass))
    }
    #expect(itemClass.lookupKey.allSatisfy(keys.contains))
  }

  @Test("label, accessible, dates and generic are in no primary key")
  func outsideOfPrimaryKeys() throws {
    for key in [AttributeKey.label, .accessible, .creationDate, .modificationDate, .generic] {
      #expect(try #require(KnownAttribute(key)).primaryKeyClasses.isEmpty)
    }
  }

  @Test("an attribute that nobody knows is not in the table")
  func unknown() {
    #expect(KnownAttribute(AttributeKey(column: "plistType")) == nil)
    #expect(KnownAttribute(.itemClass) == nil)
  }

  @Test(
    "column types are those of Apple's schema",
    arguments: [
      (AttributeKey.account, ColumnType.text), (.port, .number), (.creationDate, .date),
      (.issuer, .data), (.isNegative, .boolean), (.multiUser, .data), (.keyType, .number),
      (.path, .text), (.mode, .number), (.endDate, .date), (.applicationTag, .data),
    ])
  func columnTypes(key: AttributeKey, type: ColumnType) throws {
    #expect(try #require(KnownAttribute(key)).columnType == type)
  }

  @Test("Spec/keychain.md has the same table")
  func spec() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let text = try String(
      contentsOf: folder.appending(path: "../../Spec/keychain.md"), encoding: .utf8)
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
    let expected = KnownAttribute.all.map { row in
      let name = "`\(row.name)`" + (row.nameInKeys.map { ", in keys `\($0)`" } ?? "")
      let isCommon = row.classes.count == 5 && !row.classes.contains(.file)
      let classes =
        isCommon ? "all of Apple's" : row.classes.map(\.rawValue).joined(separator: " ")
      return "| `\(row.key)` | \(name) | \(row.columnType) | \(classes) |"
    }
    #expect(rows.map(String.init) == expected)
  }
}
