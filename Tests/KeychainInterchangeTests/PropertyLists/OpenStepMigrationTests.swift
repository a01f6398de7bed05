// Lists as GNUstep keeps its defaults: OpenStep text with typed values.

import KeychainModel
import PropertyListCodec
import Testing

@testable import KeychainInterchange

@Suite("Migrating OpenStep lists")
struct OpenStepMigrationTests {
  static let defaults = """
    /* defaults of the garden */
    {
        password = "four beds";
        Launches = <*I5>;
        showPassword = <*BY>;
        Opened = <*D2024-05-01 12:00:00 +0000>;
        Scale = <*R1.5>;
        Mail = {
            Host = mail.example.org;
            authToken = <00ff 10>;  // of the server
        };
        Accounts = ( { name = rosa; pin = 4711; }, "plain" );
    }

    """

  private func list(_ text: String = defaults) throws -> SourceList {
    let document = try PropertyListDocument(Array(text.utf8))
    #expect(document.format == .openStep)
    return SourceList(
      file: Array("/a.plist".utf8), path: Array("a.plist".utf8), document: document,
      fileItem: KeychainItem(.file))
  }

  private func restored(
    _ plan: MigrationPlan, withFile: Bool
  ) throws -> (bytes: [UInt8], losses: [RestoredList.Loss]) {
    var list = RestoredList(path: plan.list.path)
    if withFile { list.add(file: plan.fileItem, plan.list.document.bytes) }
    for key in plan.keys where key.isTaken {
      let item = try plan.item(for: key, group: nil)
      #expect(item.item[.listFormat] == .text("openStep"))
      list.add(item.item, value: item.value)
    }
    return try list.bytes()
  }

  @Test("Secrets are found, typed values have their types, and the list comes back byte for byte")
  func roundTrip() throws {
    let plan = try MigrationPlan(list(), rules: MigrationRules(), takingEverything: true)
    #expect(
      plan.keys.filter { $0.choice != .take(.everything) }.map(\.path.text)
        == ["password", "Mail.authToken", "Accounts[0].pin"])
    let types = try plan.keys.map { try plan.item(for: $0, group: nil).item[.listType] }
    for type in ["integer", "boolean", "date", "real", "data", "string"] {
      #expect(types.contains(.text(type)))
    }
    let (bytes, losses) = try restored(plan, withFile: true)
    #expect(losses.isEmpty)
    #expect(bytes == Array(Self.defaults.utf8))
  }

  @Test("Without the list, an OpenStep list of the same values is made")
  func built() throws {
    let plan = try MigrationPlan(list(), rules: MigrationRules(), takingEverything: true)
    let (bytes, losses) = try restored(plan, withFile: false)
    #expect(losses.isEmpty)
    #expect(PropertyListDocument.format(of: bytes) == .openStep)
    #expect(try PropertyListDocument(bytes).value() == plan.list.document.value())
  }

  @Test("Where OpenStep text can't say a value exactly, the list is binary, and that is told")
  func notExact() throws {
    var restored = RestoredList(path: Array("a.plist".utf8))
    let value = try PropertyListValue.date(0.5).binary()
    restored.add(
      KeychainItem(
        .genericPassword,
        [
          .account: .text("when"), .listType: .text("date"), .listFile: .text("a.plist"),
          .listFormat: .text("openStep"),
        ]), value: value)
    let (bytes, losses) = try restored.bytes()
    #expect(PropertyListDocument.format(of: bytes) == .binary)
    #expect(losses.count == 1)
    #expect(losses.first?.reason.contains("written as a binary list") == true)
  }

  @Test("The redacted copy is the text without the secrets, comments and all else in place")
  func redaction() throws {
    let plan = try MigrationPlan(list(), rules: MigrationRules(), takingEverything: false)
    let copy = String(decoding: try plan.redacted(), as: UTF8.self)
    for secret in ["four beds", "00ff", "4711", "authToken"] { #expect(!copy.contains(secret)) }
    for rest in ["/* defaults of the garden */", "<*I5>", "<*BY>", "mail.example.org", "rosa"] {
      #expect(copy.contains(rest))
    }
    let again = try MigrationPlan(list(copy), rules: MigrationRules(), takingEverything: false)
    #expect(again.takenCount == 0)
  }

  @Test("A value that was changed meanwhile is changed in the text, and nothing else")
  func changed() throws {
    let plan = try MigrationPlan(list(), rules: MigrationRules(), takingEverything: false)
    var restored = RestoredList(path: plan.list.path)
    restored.add(file: plan.fileItem, plan.list.document.bytes)
    let key = try #require(plan.keys.first { $0.path.text == "password" })
    restored.add(try plan.item(for: key, group: nil).item, value: Array("six beds".utf8))
    let text = String(decoding: try restored.bytes().bytes, as: UTF8.self)
    #expect(text == Self.defaults.split(separator: "four").joined(separator: "six"))
  }
}
