// Archives of ours, opened by programs of other people.

import Glibc
import PropertyListCodec
import Testing

struct KeyedArchiveClientTests {
  /// Values of every kind that all readers of archives know, and how they look as text.
  static let value: PropertyListValue = {
    let shared = PropertyListValue.array([.string("shared"), .integer(1)])
    let integers: [Int128] = [
      0, 1, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, Int128(Int64.max), -1, -256,
      Int128(Int64.min), Int128(Int64.max) + 1, Int128(UInt64.max),
    ]
    return .dictionary([
      .init("ascii", .string("beans")), .init("empty string", .string("")),
      .init("emoji", .string("a\u{1f600}z")), .init("utf-16", .string("gr\u{f6}\u{df}e")),
      .init("integers", .array(integers.map { .integer($0) })),
      .init("reals", .array([.real(0), .real(-1.5), .real(1e300), .real(.leastNonzeroMagnitude)])),
      .init("booleans", .array([.boolean(true), .boolean(false), .boolean(true)])),
      .init("dates", .array([.date(0), .date(-978_307_200), .date(700_000_000.5)])),
      .init("data", .array([.data([]), .data(Array(0...255))])),
      .init("empty array", .array([])), .init("empty dictionary", .dictionary([])),
      .init("first", shared), .init("second", shared),
      .init("nested", .dictionary([.init("deep", .dictionary([.init("deeper", shared)]))])),
    ])
  }()

  private static let folder = packageFolder.replacing("'", with: #"'\''"#)
  /// Where `make test` installs bpylist2.
  private static let peerPython = "'\(folder)/.build/peers/bin/python3'"

  @Test("plistlib's lists hold our values, by its UIDs")
  func plistlib() throws { try check("plistlib", with: "/usr/bin/python3") }

  @Test(
    "bpylist2 finds our values",
    .enabled(
      if: run("\(peerPython) -c 'import bpylist2'").status == 0,
      "needs bpylist2 in .build/peers: .ci/peers installs it"))
  func bpylist2() throws { try check("bpylist2", with: Self.peerPython) }

  /// Compares what `reader` finds in an archive of ours with what we put in.
  private func check(_ reader: String, with python: String) throws {
    var path = Array("/tmp/kcarchive-archive-XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&path)
    try #require(descriptor >= 0)
    let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unsafe _ = unlink(name) }
    let bytes = try Self.value.keyedArchive()
    #expect(unsafe write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
    let (status, output) = run(
      "\(python) '\(Self.folder)/Fixtures/open_archive.py' \(reader) '\(name)'")
    #expect(status == 0)
    #expect(output == Self.text(Self.value) + "\n")
  }

  /// The value as Fixtures/open_archive.py prints it.
  private static func text(_ value: PropertyListValue) -> String {
    func pair(_ kind: String, _ text: String) -> String { #"["\#(kind)","\#(text)"]"# }
    switch value {
    case .string(let text): return pair("string", escaped(text))
    case .integer(let integer): return pair("integer", "\(integer)")
    case .boolean(let boolean): return pair("boolean", "\(boolean)")
    case .real(let real): return pair("real", hex(real.bitPattern))
    case .date(let seconds): return pair("date", "\(Int(seconds * 1e6))")
    case .data(let bytes): return pair("data", bytes.map { hex($0) }.joined())
    case .array(let elements):
      return #"["array",["# + elements.map(text).joined(separator: ",") + "]]"
    case .dictionary(let entries):
      let lines = entries.compactMap { entry -> (String, String)? in
        guard case .string(let key) = entry.key else { return nil }
        return (key, "[\"\(escaped(key))\",\(text(entry.value))]")
      }
      return #"["dictionary",["#
        + lines.sorted { $0.0 < $1.0 }.map(\.1).joined(separator: ",") + "]]"
    default: return #"["null"]"#
    }
  }

  private static func escaped(_ text: String) -> String {
    text.utf16.map { unit in
      unit < 0x80 ? String(UnicodeScalar(UInt8(unit))) : "\\u" + hex(unit)
    }.joined()
  }

  private static func hex(_ value: some FixedWidthInteger & UnsignedInteger) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: value.bitWidth / 4 - digits.count) + digits
  }
}
