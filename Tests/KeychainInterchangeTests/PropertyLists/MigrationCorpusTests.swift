// Real lists, which are not ours to copy: every key of each goes into items and comes back.

import Glibc
import KeychainModel
import PropertyListCodec
import Testing

@testable import KeychainInterchange

/// The folder of real lists, beside the checkout, and its files by what the manifest calls them.
private enum Corpus {
  static let folder =
    #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/../shared/corpus"

  static let isThere = unsafe access(folder + "/MANIFEST.tsv", R_OK) == 0

  /// One that the manifest calls OpenStep is broken off (a key with nothing behind it), and so none.
  private static let brokenOff = "open/dd-plist/test2-ascii-null-char-in-string.plist"

  /// Sound lists: binary, XML, OpenStep, and one in a signed message.
  static let files: [String] = {
    let kinds: Set<String> = [
      "bplist", "keyed-bplist", "keyed-nib", "keyed-xcuserstate", "xml", "keyed-xml",
      "keyed-nib-xml", "xml-nested-keyed", "openstep", "cms-xml",
    ]
    guard let manifest = try? SourceListFinder.content(of: Array((folder + "/MANIFEST.tsv").utf8))
    else { return [] }
    return String(decoding: manifest, as: UTF8.self).split(separator: "\n").compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
      return fields.count > 5 && kinds.contains(String(fields[5])) && fields[0] != brokenOff
        ? String(fields[0]) : nil
    }
  }()
}

@Suite(
  "Migrating real lists",
  .enabled(if: Corpus.isThere, "the corpus of real lists (../shared/corpus) is not there"))
struct MigrationCorpusTests {
  /// The list of a file, as migrating it finds it.
  private func list(_ name: String) throws -> SourceList {
    let file = Array((Corpus.folder + "/" + name).utf8)
    let (found, isFolder) = try SourceListFinder.lists(
      of: file, options: PropertyListDocument.Options())
    #expect(!isFolder)
    guard case .list(let list) = found.first, found.count == 1 else {
      throw CorpusError(name: name)
    }
    return list
  }

  private struct CorpusError: Error { let name: String }

  @Test(
    "All keys of a list come back: with the list byte for byte, without it equal",
    arguments: Corpus.files)
  func roundTrip(_ name: String) throws {
    let list = try list(name)
    let document = list.document
    let plan = try MigrationPlan(list, rules: MigrationRules(), takingEverything: true)
    var withFile = RestoredList(path: list.path)
    var withoutFile = withFile
    withFile.add(file: plan.fileItem, list.fileBytes)
    for key in plan.keys {
      let item = try plan.item(for: key, group: nil)
      #expect(item.loss == nil)
      withFile.add(item.item, value: item.value)
      withoutFile.add(item.item, value: item.value)
    }
    let restored = try withFile.bytes()
    #expect(restored.losses.isEmpty)
    #expect(restored.bytes == list.fileBytes)
    #expect(try SourceListFinder.content(of: list.file) == list.fileBytes)
    let built = try withoutFile.bytes()
    #expect(built.losses.isEmpty)
    // An empty container that is not the root is one key; an empty root has none.
    if !plan.keys.isEmpty {
      #expect(try PropertyListDocument(built.bytes).value() == document.value())
    }
  }

  @Test(
    "What looks secret in a list comes back alone, at its place and equal", arguments: Corpus.files)
  func automatic(_ name: String) throws {
    let list = try list(name)
    let plan = try MigrationPlan(list, rules: MigrationRules(), takingEverything: false)
    var restored = RestoredList(path: list.path)
    for key in plan.keys where key.isTaken {
      let item = try plan.item(for: key, group: nil)
      #expect(item.loss == nil)
      restored.add(item.item, value: item.value)
    }
    let (bytes, losses) = try restored.bytes()
    #expect(losses.isEmpty)
    let copy = try PropertyListDocument(bytes)
    for key in plan.keys where key.isTaken {
      // Elements that were left are passed over, and what stands behind them moves.
      guard !key.path.components.contains(where: { if case .position = $0 { true } else { false } })
      else { continue }
      let node = try #require(copy.node(at: key.path))
      #expect(try copy.value(of: node) == list.document.value(of: key.node))
    }
  }

  @Test("A redacted copy of a list is the list without what was taken", arguments: Corpus.files)
  func redaction(_ name: String) throws {
    let list = try list(name)
    let plan = try MigrationPlan(list, rules: MigrationRules(), takingEverything: false)
    // Making the copy compares it with the list.
    let copy = try PropertyListDocument(plan.redacted(), as: list.document.format)
    let again = try MigrationPlan(
      SourceList(file: list.file, path: list.path, document: copy, fileItem: KeychainItem(.file)),
      rules: MigrationRules(), takingEverything: false)
    #expect(again.takenCount == 0)
  }
}
