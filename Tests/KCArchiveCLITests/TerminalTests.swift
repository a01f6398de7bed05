// Escaping, numbers for people, the standard output, progress.

import ByteCoding
import Glibc
import Testing

@testable import KCArchiveCLI

@Suite struct EscapingTests {
  @Test(
    "What would steer a terminal is written out",
    arguments: [
      ("plain ünïcode 漢字 😀", "plain ünïcode 漢字 😀"),
      ("a\nb\tc\rd", #"a\nb\tc\rd"#),
      ("\u{0}\u{7}\u{1B}[31m\u{7F}", #"\u{0}\u{7}\u{1b}[31m\u{7f}"#),
      ("\u{80}\u{9B}31m\u{9F}\u{A0}", "\\u{80}\\u{9b}31m\\u{9f}\u{A0}"),
      ("evil\u{202E}gpj.exe", #"evil\u{202e}gpj.exe"#),
      ("\u{2066}\u{2069}\u{200F}\u{61C}", #"\u{2066}\u{2069}\u{200f}\u{61c}"#),
      ("\u{2028}\u{2029}", #"\u{2028}\u{2029}"#),
      ("it's", "it's"), ("", ""),
    ])
  func controls(_ text: String, _ expected: String) {
    #expect(escaped(text) == expected)
    #expect(quoted(text) == "'\(expected)'")
  }

  @Test(
    "Bytes that are not UTF-8 are shown one by one",
    arguments: [
      ([0x61, 0xFF, 0x62], #"a\xffb"#),
      ([0xC3], #"\xc3"#),
      ([0xC0, 0x80], #"\xc0\x80"#),  // overlong
      ([0xE0, 0x9F, 0xBF], #"\xe0\x9f\xbf"#),  // overlong
      ([0xED, 0xA0, 0x80], #"\xed\xa0\x80"#),  // surrogate
      ([0xF4, 0x90, 0x80, 0x80], #"\xf4\x90\x80\x80"#),  // above U+10FFFF
      ([0xF0, 0x9F, 0x98, 0x41], #"\xf0\x9f\x98A"#),
      ([0xF0, 0x8F, 0xBF, 0xBF], #"\xf0\x8f\xbf\xbf"#),  // overlong
      ([0x80, 0xC3, 0xBC], #"\x80ü"#),
    ] as [([UInt8], String)])
  func invalid(_ bytes: [UInt8], _ expected: String) {
    #expect(escaped(bytes) == expected)
  }

  @Test("Valid is what the standard library takes for valid, for all sequences of two bytes")
  func agreement() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let bytes = [first, second]
        let isShown = !escaped(bytes).utf8.contains(UInt8(ascii: "\\"))
        guard let text = String(validating: bytes, as: UTF8.self) else {
          #expect(!isShown)
          continue
        }
        let isPlain = !text.unicodeScalars.contains { steersTerminal($0) || $0 == "\\" }
        #expect(isShown == isPlain, "\(bytes)")
      }
    }
  }
}

@Suite struct FormattingTests {
  @Test(
    "Counts are grouped by thousands",
    arguments: [
      (0, "0"), (999, "999"), (1000, "1,000"), (1_048_720, "1,048,720"),
      (UInt64.max, "18,446,744,073,709,551,615"),
    ])
  func counts(_ number: UInt64, _ expected: String) {
    #expect(grouped(number) == expected)
  }

  @Test("One is singular")
  func nouns() {
    #expect(counted(1, "item") == "1 item")
    #expect(counted(0, "item") == "0 items")
    #expect(counted(1204, "item") == "1,204 items")
    #expect(counted(2, "entry", plural: "entries") == "2 entries")
  }

  @Test(
    "Sizes have one digit behind the point and the unit that keeps them below 1024",
    arguments: [
      (0, "0 bytes"), (1, "1 byte"), (1023, "1,023 bytes"), (1024, "1.0 KiB"), (1075, "1.0 KiB"),
      (1076, "1.1 KiB"), (50_541_363, "48.2 MiB"), (1_048_575, "1.0 MiB"),
      (1_048_524, "1,023.9 KiB"),
      (1 << 30, "1.0 GiB"), (1 << 40, "1.0 TiB"), (UInt64.max, "16.0 EiB"),
    ])
  func sizes(_ byteCount: UInt64, _ expected: String) {
    #expect(sizeText(byteCount) == expected)
  }

  @Test(
    "Durations",
    arguments: [(0, "0:00"), (7, "0:07"), (754, "12:34"), (3600, "1:00:00"), (12_309, "3:25:09")])
  func durations(_ seconds: UInt64, _ expected: String) {
    #expect(durationText(seconds: seconds) == expected)
  }

  @Test("The system's reasons begin in lower case, but for abbreviations")
  func reasons() {
    #expect(systemReason(ENOENT) == "no such file or directory")
    #expect(systemReason(ENOSPC) == "no space left on device")
    #expect(systemReason(ENOTBLK) == "block device required")
    #expect(systemReason(ENOMSG) == "no message of desired type")
    #expect(systemReason(EMULTIHOP) == "multihop attempted")
    #expect(systemReason(ERFKILL) == "operation not possible due to RF-kill")
    #expect(systemReason(EDOTDOT) == "RFS specific error")
  }
}

@Suite struct OutputTests {
  @Test("What is written comes out in order, small and large")
  func order() throws {
    let folder = TemporaryFolder()
    let path = folder.file("out", "")
    let descriptor = unsafe open(path, O_WRONLY)
    defer { close(descriptor) }
    let output = OutputStream(descriptor: descriptor)
    let large = String(repeating: "x", count: 100_000)
    var expected = ""
    for index in 0..<3 {
      try output.writeLine("line \(index)")
      try output.write(large)
      for _ in 0..<20_000 { try output.write("abcde") }
      expected += "line \(index)\n" + large + String(repeating: "abcde", count: 20_000)
    }
    try output.flush()
    #expect(readFile(path) == expected)
  }

  @Test("A closed pipe ends a run quietly")
  func closedPipe() {
    signal(SIGPIPE, SIG_IGN)
    let (reading, writing) = makePipe()
    close(reading)
    defer { close(writing) }
    let (errors, errorsEnd) = makePipe()
    defer { close(errors) }
    let status = Program.run(
      [Array("version".utf8)],
      Console(isJSON: false, output: OutputStream(descriptor: writing), errors: errorsEnd))
    close(errorsEnd)
    #expect(status == .done)
    #expect(readToEnd(errors).isEmpty)
  }

  @Test("A full device is an error")
  func full() {
    let descriptor = unsafe open("/dev/full", O_WRONLY)
    defer { close(descriptor) }
    let (errors, errorsEnd) = makePipe()
    defer { close(errors) }
    let status = Program.run(
      [Array("version".utf8)],
      Console(isJSON: false, output: OutputStream(descriptor: descriptor), errors: errorsEnd))
    close(errorsEnd)
    #expect(status == .failed)
    #expect(
      String(decoding: readToEnd(errors), as: UTF8.self)
        == "kcarchive: error: standard output: no space left on device\n")
  }

  @Test("Neither binary data nor secrets go to a terminal")
  func terminal() {
    let terminal = PseudoTerminal()
    let shown = OutputStream(descriptor: terminal.slave)
    #expect(throws: CommandError.self) { try shown.refuseBinary("an archive") }
    #expect(throws: CommandError.self) { try shown.refuseSecret(isRevealed: false) }
    #expect(throws: Never.self) { try shown.refuseSecret(isRevealed: true) }
    let (reading, writing) = makePipe()
    defer {
      close(reading)
      close(writing)
    }
    let piped = OutputStream(descriptor: writing)
    #expect(throws: Never.self) { try piped.refuseBinary("an archive") }
    #expect(throws: Never.self) { try piped.refuseSecret(isRevealed: false) }
  }

  @Test("The width is the terminal's, and 80 where there is none")
  func width() {
    let terminal = PseudoTerminal()
    var size = winsize(ws_row: 24, ws_col: 132, ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(terminal.master, UInt(TIOCSWINSZ), &size)
    #expect(Terminal.width(terminal.slave) == 132)
    size.ws_col = 0
    _ = unsafe ioctl(terminal.master, UInt(TIOCSWINSZ), &size)
    #expect(Terminal.width(terminal.slave) == 80)
    #expect(Terminal.width(-1) == 80)
  }
}

@Suite struct ColorTests {
  @Test("Colour needs a terminal that is not dumb, and no NO_COLOR")
  func color() async {
    await #expect(processExitsWith: .success) {
      let terminal = PseudoTerminal()
      unsafe unsetenv("NO_COLOR")
      unsafe setenv("TERM", "xterm", 1)
      #expect(Terminal.wantsColor(terminal.slave))
      #expect(!Terminal.wantsColor(-1))
      unsafe setenv("NO_COLOR", "", 1)
      #expect(Terminal.wantsColor(terminal.slave))
      unsafe setenv("NO_COLOR", "1", 1)
      #expect(!Terminal.wantsColor(terminal.slave))
      unsafe unsetenv("NO_COLOR")
      unsafe setenv("TERM", "dumb", 1)
      #expect(!Terminal.wantsColor(terminal.slave))
    }
  }
}

@Suite struct ProgressTests {
  /// A clock that is set by hand, in milliseconds.
  final class Clock {
    var milliseconds: UInt64 = 5000
    var drawn: [String] = []

    func progress(
      width: Int = 80, bytes: UInt64? = nil, items: UInt64? = nil, isJSON: Bool = false
    ) -> Progress {
      Progress(
        "packing",
        form: isJSON
          ? .json { self.drawn.append(String(decoding: $0, as: UTF8.self)) }
          : .line(width: width) { self.drawn.append($0) },
        totalByteCount: bytes, totalItemCount: items
      ) { self.milliseconds * 1_000_000 }
    }
  }

  @Test("The line appears after half a second, ten times a second, and goes at the end")
  func cadence() {
    let clock = Clock()
    let progress = clock.progress()
    for _ in 0..<1000 {
      progress.advance(bytes: 10, items: 1)
      clock.milliseconds += 1
    }
    #expect(clock.drawn.count == 5)
    #expect(clock.drawn.first == "\rpacking 4.9 KiB, 501 items, 9.8 KiB/s\u{1B}[K")
    progress.finish()
    #expect(clock.drawn.last == "\r\u{1B}[K")
    #expect(clock.drawn.count == 6)
  }

  @Test("A run of less than half a second shows nothing")
  func short() {
    let clock = Clock()
    let progress = clock.progress()
    clock.milliseconds += 499
    progress.advance(bytes: 10)
    progress.finish()
    #expect(clock.drawn.isEmpty)
  }

  @Test("With a total, the time left is told")
  func timeLeft() {
    let clock = Clock()
    let bytes = clock.progress(bytes: 100 << 20)
    clock.milliseconds += 1000
    bytes.advance(bytes: 25 << 20, items: 1204)
    #expect(
      clock.drawn
        == ["\rpacking 25.0 MiB of 100.0 MiB, 1,204 items, 25.0 MiB/s, 0:03 left\u{1B}[K"])
    clock.drawn = []
    let items = clock.progress(items: 10)
    clock.milliseconds += 1000
    items.advance(items: 1)
    #expect(clock.drawn == ["\rpacking 1 of 10 items, 0:09 left\u{1B}[K"])
  }

  @Test("A narrow terminal cuts the line")
  func narrow() {
    let clock = Clock()
    let progress = clock.progress(width: 10)
    clock.milliseconds += 600
    progress.advance(bytes: 1)
    #expect(clock.drawn == ["\rpacking 1\u{1B}[K"])
  }

  @Test("For programs it is a JSON line at once, then ten times a second, and one when it is done")
  func json() {
    let clock = Clock()
    let progress = clock.progress(bytes: 20, isJSON: true)
    progress.advance(bytes: 5)
    clock.milliseconds += 99
    progress.advance(bytes: 5)
    clock.milliseconds += 1
    progress.advance(items: 1)
    progress.finish()
    let tail = ",\"bytesPerSecond\":100,\"secondsLeft\":1"
    #expect(
      clock.drawn == [
        #"{"version":1,"progress":{"activity":"packing","bytes":5,"totalBytes":20,"items":0,"#
          + "\"secondsLeft\":0,\"done\":false}}\n",
        #"{"version":1,"progress":{"activity":"packing","bytes":10,"totalBytes":20,"items":1"#
          + tail + ",\"done\":false}}\n",
        #"{"version":1,"progress":{"activity":"packing","bytes":10,"totalBytes":20,"items":1"#
          + tail + ",\"done\":true}}\n",
      ])
  }

  @Test("Rates and times of absurd counts do not trap")
  func absurd() {
    let clock = Clock()
    let progress = clock.progress(bytes: .max, items: .max)
    clock.milliseconds += 10_000
    progress.advance(bytes: .max - 1, items: .max)
    progress.advance(bytes: .max, items: .max)
    clock.milliseconds += 10_000
    progress.advance(bytes: 1)
    #expect(clock.drawn.count == 2)
  }

  @Test("In a pipe there is none, unless JSON is asked for")
  func pipes() {
    let (_, silent) = captured { console in
      let progress = console.showProgress("packing", .auto)
      progress.advance(bytes: 1)
      progress.finish()
    }
    #expect(silent.isEmpty)
    let (_, json) = captured { console in
      console.showProgress("packing", .json).finish()
    }
    #expect(
      json == #"{"version":1,"progress":{"activity":"packing","bytes":0,"items":0,"done":true}}"#
        + "\n")
  }
}
