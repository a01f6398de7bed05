// The runs of the program that tests disturb, one of each verb that writes archives.

import ByteCoding
import TestSupport
import Testing

struct DisturbedRun: Sendable, CustomTestStringConvertible {
  let name: String
  /// `@` stands for the folder of archives, `%` for the one of all other files.
  let words: [String]
  /// What is in the folder of archives before.
  let before: [String: [UInt8]]
  let target: String
  /// The state of the target before; nil where it is not there or can't be read.
  let old: VaultState?
  let new: VaultState
  /// Whether the target is another file afterwards.
  let replaces: Bool
  /// The value that is put.
  let value: [UInt8]
  /// The status when nothing disturbs.
  var status: Int32 = 0
  /// The status of a second run when the first has done its work though it failed.
  var again: Int32 = 0

  var testDescription: String { name }

  private static let packed =
    #"{"class":"genp","service":"web","account":"dave","value":{"utf8":"d"}}"# + "\n"
    + #"{"class":"genp","service":"web","account":"erin","value":{"utf8":"\#(text)"}}"# + "\n"
  private static let text = String(repeating: "a value that shrinks, ", count: 500)

  /// Makes what `words` read besides archives.
  func writeInputs(_ folder: FaultFolder) {
    folder.side.write(Array(Self.packed.utf8), to: "in.jsonl")
    folder.side.write(value, to: "value")
  }

  /// Runs on a few kilobytes, a call of each kind at a time.
  static let all = sized(sample: 5000, value: 9000)
  /// Runs that take a while to write.
  static let long = sized(sample: 1_500_000, value: 2_000_000)

  private static func sized(sample: Int, value: Int) -> [DisturbedRun] {
    do { return try make(sample, Vault.noise(value, seed: 3)) } catch { fatalError("\(error)") }
  }

  private static func make(_ byteCount: Int, _ value: [UInt8]) throws -> [DisturbedRun] {
    let (bytes, old) = try Vault.sample(byteCount: byteCount)
    let both: Set = ["first", "second"]
    let fresh = VaultState(
      items: ["genp web / dave": Array("d".utf8), "genp web / erin": Array(text.utf8)],
      opening: both)
    func changed(_ change: (inout VaultState) -> Void) -> VaultState {
      var state = old
      change(&state)
      return state
    }
    /// A run that changes `a.kca` in place.
    func change(
      _ name: String, _ words: [String], _ new: VaultState, before: [UInt8]? = nil,
      again: Int32 = 0
    ) -> DisturbedRun {
      DisturbedRun(
        name: name, words: words, before: ["a.kca": before ?? bytes], target: "a.kca", old: old,
        new: new, replaces: false, value: value, again: again)
    }
    let opening = ["--key-file", "%first"]
    let packing = ["%in.jsonl"] + opening + ["--key-file", "%second"]
    let putting = ["put", "@a.kca"] + opening + ["--value-file", "%value", "-s", "web", "-a"]
    let items = FramePlace.walk(bytes, from: 8192).filter { $0.type == 1 }
    // A damaged copy of the header and an append that was never finished.
    var unfinished = bytes
    unfinished[4096 + 100] ^= 1
    unfinished += Vault.noise(777, seed: 4)
    var damaged = bytes
    damaged[items[1].place + 40] ^= 1
    let header = Array(bytes[..<4096])
    let headless = [UInt8](repeating: 0, count: 8192) + bytes[8192...]
    let withValue = changed { $0.items["genp web / new"] = value }

    return [
      DisturbedRun(
        name: "pack", words: ["pack", "-o", "@a.kca"] + packing, before: [:], target: "a.kca",
        old: nil, new: fresh, replaces: true, value: value, again: 18),
      DisturbedRun(
        name: "pack --force", words: ["pack", "--force", "-o", "@a.kca"] + packing,
        before: ["a.kca": bytes], target: "a.kca", old: old, new: fresh, replaces: true,
        value: value),
      change("put", putting + ["new"], withValue),
      change("put behind an unfinished one", putting + ["new"], withValue, before: unfinished),
      change(
        "put of a new value", putting + ["bob"], changed { $0.items["genp web / bob"] = value }),
      change(
        "delete", ["delete", "@a.kca"] + opening + ["-s", "web", "-a", "bob"],
        changed { $0.items["genp web / bob"] = nil }, again: 19),
      change(
        "delete --shred",
        ["delete", "--shred", "@a.kca"] + opening + ["-s", "web", "-a", "alice"],
        changed { $0.items["genp web / alice"] = nil }, again: 19),
      change(
        "slot add", ["slot", "add", "@a.kca"] + opening + ["--new-key-file", "%third"],
        changed { $0.opening.insert("third") }),
      change(
        "slot remove", ["slot", "remove", "@a.kca", "2"] + opening,
        changed { $0.opening.remove("second") }, again: 19),
      DisturbedRun(
        name: "compact", words: ["compact", "@a.kca"] + opening, before: ["a.kca": bytes],
        target: "a.kca", old: old, new: old, replaces: true, value: value),
      DisturbedRun(
        name: "compact -o", words: ["compact", "@a.kca", "-o", "@b.kca"] + opening,
        before: ["a.kca": bytes], target: "b.kca", old: nil, new: old, replaces: true, value: value,
        again: 18),
      DisturbedRun(
        name: "rekey", words: ["rekey", "@a.kca"] + opening, before: ["a.kca": bytes],
        target: "a.kca", old: old, new: changed { $0.opening = ["first"] }, replaces: true,
        value: value),
      DisturbedRun(
        name: "salvage", words: ["salvage", "@a.kca", "-o", "@b.kca"] + opening,
        before: ["a.kca": damaged], target: "b.kca", old: nil,
        new: changed { $0.items["genp web / bob"] = nil }, replaces: true, value: value, status: 3,
        again: 18),
      DisturbedRun(
        name: "header import", words: ["header", "import", "@a.kca", "@saved"] + opening,
        before: ["a.kca": headless, "saved": header], target: "a.kca", old: nil, new: old,
        replaces: false, value: value),
    ]
  }
}
