// Real lists, which are not ours to copy: they are read from a folder beside the checkout where it is there.

import ByteCoding
import Glibc
import PropertyListCodec
import Testing

/// The folder of real lists.
enum Corpus {
  /// …/Tests/PropertyListCodecTests/PropertyLists/CorpusTests.swift in the checkout, `../shared` beside it.
  static let folder: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    return parts.dropLast(5).joined(separator: "/") + "/shared/corpus"
  }()

  static let isThere = unsafe access(folder + "/MANIFEST.tsv", R_OK) == 0

  /// Why tests are skipped where it is not.
  static let comment: Comment = "the corpus of real lists (../shared/corpus) is not there"

  /// A file of the corpus and what the manifest calls it.
  struct File: CustomTestStringConvertible, Sendable {
    let name: String
    let kind: String

    var testDescription: String { name }

    var bytes: [UInt8] { get throws { try Corpus.content(name) } }
  }

  static let files: [File] = {
    guard let manifest = try? content("MANIFEST.tsv") else { return [] }
    return manifest.split(separator: UInt8(ascii: "\n")).dropFirst().map { line in
      let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
      return File(
        name: String(decoding: fields[0], as: UTF8.self),
        kind: String(decoding: fields[5], as: UTF8.self))
    }
  }()

  static func files(ofKinds kinds: Set<String>) -> [File] {
    files.filter { kinds.contains($0.kind) }
  }

  static let binary = files(
    ofKinds: ["bplist", "keyed-bplist", "keyed-nib", "keyed-xcuserstate"])
  static let xml = files(ofKinds: ["xml", "keyed-xml", "keyed-nib-xml", "xml-nested-keyed"])

  struct Missing: Error {}

  static func content(_ name: String) throws -> [UInt8] {
    let path = folder + "/" + name
    guard let file = unsafe fopen(path, "rb") else { throw Missing() }
    defer { unsafe _ = fclose(file) }
    var content: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe fread(&part, 1, part.count, file)
      guard count > 0 else { return content }
      content += part[..<count]
    }
  }

  /// The names in a folder of the corpus.
  static func names(in name: String) -> [String] {
    guard let directory = unsafe opendir(folder + "/" + name) else { return [] }
    defer { unsafe _ = closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let entryName = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !entryName.hasPrefix(".") { names.append(name + "/" + entryName) }
    }
    return names.sorted()
  }
}

/// A small input of a bundle: one line of JSON with its name, its bytes in Base64, and what is expected.
struct Snippet: CustomTestStringConvertible, Sendable {
  let name: String
  let bytes: [UInt8]
  /// `error`, `ok`, `no-crash`.
  let expectation: String

  var testDescription: String { name }

  static func all(_ bundle: String) throws -> [Snippet] {
    let lines = try Corpus.content("open/snippets/\(bundle).jsonl").split(
      separator: UInt8(ascii: "\n"))
    return try lines.map { line in
      let line = Array(line)
      var reader = JSONReader(line.bytes)
      var name = ""
      var bytes: [UInt8] = []
      var expectation = ""
      try reader.beginObject()
      while let key = try reader.nextKey() {
        let value = reader.string(try reader.readString())
        if reader.equals(key, "name") { name = value }
        if reader.equals(key, "expect") { expectation = value }
        if reader.equals(key, "b64") { bytes = try Base64.decode(Array(value.utf8).bytes) }
      }
      return Snippet(name: name, bytes: bytes, expectation: expectation)
    }
  }
}

@Suite(.enabled(if: Corpus.isThere, Corpus.comment))
struct CorpusTests {
  /// Written by Python and other libraries: not as Apple's writer does.
  static let foreignLayouts: Set<String> = [
    "open/bpylist2/nsmutabledata_archive.plist", "open/libs-base/eszett2.plist",
    "open/mvt/ios_backup_Info.plist",
    "open/rust-plist/binary_three_byte_integer_offset_table.plist",
  ]

  @Test("the corpus has its binary and XML lists")
  func inventory() {
    #expect(Corpus.binary.count == 145)
    #expect(Corpus.xml.count == 64)
  }

  @Test("every sound binary list reads whole, with nothing irregular", arguments: Corpus.binary)
  func binary(file: Corpus.File) throws {
    let bytes = try file.bytes
    let document = try PropertyListDocument(bytes)
    #expect(document.format == .binary)
    #expect(document.irregularityCount == 0)
    #expect(document.bytes == bytes)
    let value = try document.value()
    #expect(try PropertyListDocument(value.binary()).value() == value)
    let written = try document.binary()
    #expect(try PropertyListDocument(written).value() == value)
    #expect((written == bytes) == !Self.foreignLayouts.contains(file.name))
  }

  @Test("every sound XML list reads whole, and is the same when written", arguments: Corpus.xml)
  func xml(file: Corpus.File) throws {
    let bytes = try file.bytes
    let document = try PropertyListDocument(bytes)
    #expect(document.format == .xml)
    #expect(document.bytes == bytes)
    let value = try document.value()
    #expect(try PropertyListDocument(value.xml(sortsKeys: false)).value() == value)
    #expect(try PropertyListDocument(value.binary()).value() == value)
  }

  @Test("lists that Apple wrote as XML are written with the same bytes")
  func formatting() throws {
    let same = try Corpus.xml.filter { try PropertyListDocument($0.bytes).xml() == $0.bytes }
    #expect(same.count >= 31)
  }

  @Test(
    "no malformed list reads as if it were sound",
    arguments: Corpus.files(ofKinds: ["bplist-invalid", "xml-invalid"]))
  func invalid(file: Corpus.File) {
    var options = PropertyListDocument.Options()
    options.isStrict = true
    #expect(throws: PropertyListError.self) {
      try PropertyListDocument(file.bytes, options: options)
    }
  }
}

/// One after the other: the memory is that of the process.
@Suite(.serialized, .enabled(if: Corpus.isThere, Corpus.comment))
struct HostileListTests {
  @Test(
    "every file of the corpus ends in a value or an error, within 2 s and 256 MiB",
    arguments: Corpus.names(in: "hostile") + Corpus.files.map(\.name))
  func bounded(name: String) throws {
    let bytes = try Corpus.content(name)
    // From here on, the peak of the resident memory counts anew (proc(5), clear_refs).
    if let file = unsafe fopen("/proc/self/clear_refs", "w") {
      unsafe fputs("5", file)
      unsafe fclose(file)
    }
    let before = try residentMemory("VmRSS:")
    // The thread's own time: other tests run beside this one.
    let start = try threadTime()
    let document = try? PropertyListDocument(bytes)
    let value = try? document?.value()
    if let archive = try? document.map({ try KeyedArchive($0) }) {
      for number in 0..<archive.objectCount {
        _ = try? archive.value(of: .object(KeyedArchive.Object(number: number)))
      }
      _ = try? archive.plainValue()
    }
    #expect(try threadTime() - start < 2)
    _ = try? value?.xml()
    _ = try? value?.binary()
    _ = try? document?.binary()
    #expect(try residentMemory("VmHWM:") - before < 256 << 20)
  }

  /// The processor's time that the calling thread has used, in seconds.
  private func threadTime() throws -> Double {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { throw Corpus.Missing() }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// A field of the process's status, in bytes.
  private func residentMemory(_ field: String) throws -> Int {
    guard let file = unsafe fopen("/proc/self/status", "r") else { throw Corpus.Missing() }
    defer { unsafe _ = fclose(file) }
    var status = [UInt8](repeating: 0, count: 8192)
    let count = unsafe fread(&status, 1, status.count, file)
    let lines = String(decoding: status[..<count], as: UTF8.self).split(separator: "\n")
    let words = lines.first { $0.hasPrefix(field) }?.split(whereSeparator: \.isWhitespace)
    return 1024 * (words?.dropFirst().first.flatMap { Int($0) } ?? 0)
  }
}
