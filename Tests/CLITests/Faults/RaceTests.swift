// Two writers at once, as processes: one has to wait or to give up, and nothing that succeeded may be lost.

import Glibc
import TestSupport
import Testing

@Suite("Races")
struct RaceTests {
  @Test("Of two writers at once one is refused or waits, and what each has written is there")
  func writers() throws {
    let folder = FaultFolder()
    let sample = try Vault.sample(byteCount: 1000)
    folder.reset(["a.kca": sample.bytes])
    var items = sample.state.items
    let opening = ["@a.kca", "--key-file", "%first"]
    var (refused, waited, replaced, writes) = (0, 0, 0, 0)
    for race in 0..<200 {
      // The first races are for whoever comes first, then both wait; in the last the other writer puts
      // another file in the archive's place.
      let waits = race >= 80
      let compacts = race >= 160
      let words: [[String]] = (0..<2).map { number in
        if compacts, number == 1 { return ["compact"] + opening + ["--wait"] }
        let value = Vault.noise(1 + 97 * race % 20_000, seed: UInt64(2 * race + number))
        folder.side.write(value, to: "value\(number)")
        return ["put"] + opening + ["-s", "web", "-a", "\(race)-\(number)"]
          + ["--value-file", "%value\(number)"] + (waits ? ["--wait"] : [])
      }
      let started = (race.isMultiple(of: 2) ? [0, 1] : [1, 0]).map { number in
        (number, folder.program(words[number], errors: "errors\(number)").start())
      }
      for (number, process) in started {
        let status = process.wait()
        let said = String(decoding: folder.side.read("errors\(number)") ?? [], as: UTF8.self)
        #expect(status == 0 || status == 11 && !waits, "race \(race): status \(status): \(said)")
        guard status == 0 else {
          refused += 1
          continue
        }
        writes += 1
        if compacts, number == 1 {
          replaced += 1
        } else {
          if waits { waited += 1 }
          items["genp web / \(race)-\(number)"] = folder.side.read("value\(number)")
        }
      }
    }
    print(
      "races of two writers: 200; \(refused) writers refused, \(waited) puts that could wait, "
        + "\(replaced) compactings among them")
    let reading = try Vault.read(try #require(folder.work.read("a.kca")))
    #expect(reading.state.items == items)
    #expect(reading.verify == nil)
    // Each write is a commit of its own, built on the one before.
    #expect(reading.commitNumber == 2 + UInt64(writes))
    #expect(refused > 0 && waited == 200 && replaced == 40)
    #expect(folder.work.names == ["a.kca"])
  }
}
