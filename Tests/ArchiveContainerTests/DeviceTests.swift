// Files, pipes and what comes to be of a new file.

import ArchiveContainer
import ByteCoding
import Glibc
import TestSupport
import Testing

@Suite("New files")
struct NewFileTests {
  private let directory = TemporaryDirectory()

  private func make(
    _ name: String = "a", replacing: Bool = false, observer: Observer? = nil
  ) throws -> NewFile {
    try NewFile(directory.bytes(name), replacing: replacing, observer: observer)
  }

  private func number(_ body: () throws -> Void) -> Int32? {
    do {
      try body()
      return nil
    } catch {
      return (error as? DeviceError)?.number ?? -1
    }
  }

  private final class Observer: TemporaryFileObserver {
    var paths: [[UInt8]] = []
    var goneCount = 0

    func willCreate(_ path: [UInt8], in directory: CInt) { paths.append(path) }
    func isGone() { goneCount += 1 }
  }

  @Test("a new file has its name when it is published, not before, and mode 0600")
  func publish() throws {
    let observer = Observer()
    let file = try make(observer: observer)
    #expect(!file.isWrittenThrough)
    try file.device.write([1, 2, 3].bytes, at: 0)
    #expect(directory.names.count == 1 && directory.names[0].hasPrefix(".a."))
    #expect(observer.paths == [directory.bytes(directory.names[0])] && observer.goneCount == 0)
    try file.device.sync()
    try file.publish()
    #expect(directory.names == ["a"] && directory.read("a") == [1, 2, 3])
    #expect(directory.mode("a") == 0o600)
    #expect(observer.goneCount == 1)
  }

  @Test("a file that is there is not replaced unless that is asked for")
  func exists() throws {
    directory.write([9], to: "a")
    #expect(number { _ = try make() } == EEXIST)
    let file = try make(replacing: true)
    try file.device.write([1].bytes, at: 0)
    #expect(directory.read("a") == [9])
    try file.publish()
    #expect(directory.read("a") == [1] && directory.names == ["a"])
    #expect(directory.mode("a") == 0o600)
  }

  @Test("a file that came to be meanwhile is not replaced either")
  func race() throws {
    do {
      let file = try make()
      directory.write([9], to: "a")
      #expect(number { try file.publish() } == EEXIST)
    }
    #expect(directory.read("a") == [9] && directory.names == ["a"])
  }

  @Test("what is given up leaves nothing behind")
  func abandoned() throws {
    directory.write([9], to: "b")
    let observer = Observer()
    do {
      let files = [try make("a", observer: observer), try make("b", replacing: true)]
      for file in files { try file.device.write([1].bytes, at: 0) }
      // Optimised code lets go of a file after its last use, not at the end of its scope.
      withExtendedLifetime(files) { #expect(directory.names.count == 3) }
    }
    #expect(directory.names == ["b"] && directory.read("b") == [9])
    #expect(observer.goneCount == 1)
  }

  @Test("a symbolic link is replaced, never followed", arguments: [true, false])
  func links(leadsSomewhere: Bool) throws {
    if leadsSomewhere { directory.write([9], to: "target") }
    directory.link("a", to: directory.file("target"))
    #expect(number { _ = try make() } == EEXIST)
    let file = try make(replacing: true)
    try file.device.write([1].bytes, at: 0)
    try file.publish()
    #expect(!directory.isLink("a") && directory.read("a") == [1])
    #expect(directory.read("target") == (leadsSomewhere ? [9] : nil))
  }

  @Test("a device is written through")
  func devices() throws {
    let file = try NewFile(Array("/dev/null".utf8), replacing: false)
    #expect(file.isWrittenThrough && !file.device.isSeekable)
    try file.device.write([1, 2].bytes, at: 0)
    try file.device.write([3].bytes, at: 2)
    try file.device.sync()
    try file.trim()
    try file.publish()
    var status = stat()
    #expect(unsafe stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
  }

  @Test("a directory, a missing directory and an empty name are refused")
  func refused() {
    #expect(number { _ = try NewFile(Array(directory.path.utf8), replacing: true) } == EISDIR)
    #expect(number { _ = try NewFile(directory.bytes("none/a"), replacing: true) } == ENOENT)
    #expect(number { _ = try NewFile(directory.bytes("none/"), replacing: true) } == EISDIR)
    #expect(directory.names.isEmpty)
  }

  @Test("names of 255 bytes have room for a temporary sibling")
  func longNames() throws {
    let name = String(repeating: "x", count: 255)
    let file = try make(name)
    try file.publish()
    #expect(directory.names == [name])
  }

  @Test("room that was reserved does not show, and is given back")
  func reserve() throws {
    let file = try make()
    try file.reserve(1 << 20)
    #expect(try file.device.byteCount() == 0)
    try file.device.write([1].bytes, at: 0)
    try file.trim()
    try file.publish()
    #expect(directory.read("a") == [1])
  }
}

@Suite("Devices")
struct DeviceTests {
  private let directory = TemporaryDirectory()

  private func read(_ device: any Device, _ count: Int, at offset: UInt64) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: count)
    var target = bytes.mutableBytes
    let done = try device.read(into: &target, at: offset)
    return Array(bytes[..<done])
  }

  @Test("a file gives less than asked at its end only")
  func shortReads() throws {
    directory.write(Array(0..<100), to: "a")
    let device = try FileDevice(reading: directory.file("a"))
    #expect(device.isSeekable)
    #expect(try device.byteCount() == 100)
    #expect(try read(device, 10, at: 95) == Array(95..<100))
    #expect(try read(device, 10, at: 100) == [])
    #expect(try read(device, 10, at: 1 << 40) == [])
    #expect(try read(device, 10, at: 0) == Array(0..<10))
    #expect(throws: DeviceError.self) { try read(device, 1, at: .max) }
  }

  @Test("what can't be opened is an error with its number")
  func missing() {
    do {
      _ = try FileDevice(reading: directory.file("none"))
      Issue.record("it was opened")
    } catch {
      #expect(error.number == ENOENT)
      #expect(ContainerError(error).code == .ioFailed)
      #expect(ContainerError(error).reason == "opening failed: no such file or directory")
    }
  }

  @Test("a pipe gives its bytes once, in order, also where they come in drops")
  func pipes() throws {
    let command = "printf 01; sleep 0.02; printf 234; sleep 0.02; printf 5"
    guard let stream = unsafe popen(command, "r") else {
      Issue.record("no pipe")
      return
    }
    defer { unsafe pclose(stream) }
    let device = FileDevice(descriptor: unsafe fileno(stream), isOwned: false)
    #expect(!device.isSeekable)
    #expect(throws: DeviceError.self) { try device.byteCount() }
    #expect(try read(device, 4, at: 0) == Array("0123".utf8))
    #expect(throws: DeviceError.self) { try read(device, 1, at: 0) }
    #expect(try read(device, 4, at: 4) == Array("45".utf8))
    #expect(try read(device, 4, at: 6) == [])
  }

  @Test("a pipe is written forward only")
  func writtenPipes() throws {
    var ends: [CInt] = [0, 0]
    #expect(unsafe ends.withUnsafeMutableBufferPointer { unsafe pipe($0.baseAddress!) } == 0)
    let (reader, writer) = (FileDevice(descriptor: ends[0]), FileDevice(descriptor: ends[1]))
    try writer.write([1, 2].bytes, at: 0)
    #expect(throws: DeviceError.self) { try writer.write([1].bytes, at: 7) }
    try writer.write([3].bytes, at: 2)
    try writer.sync()
    #expect(try read(reader, 3, at: 0) == [1, 2, 3])
  }

  @Test("a memory pipe goes forward only, as pipes do")
  func memoryPipe() throws {
    let device = MemoryDevice(Array(0..<10), isSeekable: false)
    #expect(try read(device, 4, at: 0) == [0, 1, 2, 3])
    #expect(throws: DeviceError.self) { try read(device, 4, at: 0) }
    #expect(throws: DeviceError.self) { try read(device, 4, at: 5) }
    #expect(try read(device, 40, at: 4) == Array(4..<10))
    #expect(throws: DeviceError.self) { try device.byteCount() }
  }

  @Test("files are cut and filled with zeros")
  func truncate() throws {
    for device in [
      MemoryDevice() as any Device, try NewFile(directory.bytes("a"), replacing: true).device,
    ] {
      try device.write([1, 2, 3].bytes, at: 2)
      #expect(try read(device, 9, at: 0) == [0, 0, 1, 2, 3])
      try device.truncate(to: 3)
      try device.truncate(to: 5)
      #expect(try read(device, 9, at: 0) == [0, 0, 1, 0, 0])
    }
  }

  @Test("a spool holds all of a pipe and has no name", arguments: [0, 1, 1 << 20, 1 << 20 + 1])
  func spool(count: Int) throws {
    let bytes = [UInt8](repeating: 0x5A, count: count)
    let spool = try Spool.copy(MemoryDevice(bytes, isSeekable: false), in: directory.path)
    #expect(directory.names.isEmpty)
    #expect(spool.isSeekable)
    let isEqual = try read(spool, count + 1, at: 0) == bytes
    #expect(isEqual)
    #expect(
      family { _ = try Spool.copy(MemoryDevice(bytes), in: directory.file("none")) } == .ioFailed)
  }

  @Test("an archive on a file reads as one in memory does, and through a pipe")
  func archive() throws {
    let packed = try PackedArchive([PackedItem(0, value: [1, 2])])
    directory.write(packed.bytes, to: "a")
    let archive = try OpenedArchive.open(
      FileDevice(reading: directory.file("a")), credentials: packed.credentials,
      options: OpenOptions())
    #expect(try archive.get(packed.items[0].token) == [[1, 2]])
    let descriptor = unsafe open(directory.file("a"), O_RDONLY)
    let stream = FileDevice(descriptor: descriptor, isStream: true)
    #expect(!stream.isSeekable)
    let report = try OpenedArchive.open(
      Spool.copy(stream, in: directory.path),
      credentials: packed.credentials,
      options: OpenOptions()
    ).verify()
    #expect(report.findings.isEmpty && report.wholeItems == 1)
  }
}

@Suite("Failing devices")
struct FaultTests {
  private static func pack(_ device: any Device) throws {
    let keys = try ArchiveKeys.fresh()
    let slot = try Slot.make(
      for: .sampleKeyFile(1), id: 1, cost: .standard, label: "", keys: keys)
    var writer = try SessionWriter(to: device, keys: keys, slots: [slot], compresses: false)
    // More than the writer holds back, so that it writes on its way.
    let long = [UInt8](repeating: 3, count: 1 << 20 + 100_000)
    try writer.append(attributes: [], token: PackedItem(0).token, value: long.bytes, origin: 0)
    for number in 1..<3 {
      let source = ArraySource([1, 2], claimed: number == 1 ? 2 : nil)
      try writer.append(attributes: [], token: PackedItem(number).token, source: source, origin: 0)
    }
    let summary = try writer.finish()
    try device.truncate(to: summary.commit.end)
    try device.sync()
    try OpenedArchive.readBack(device, keys: keys, expecting: summary, openedValueLimit: 1 << 20)
  }

  @Test("packing to a device that fails at its n-th call is an error of the device, for every n")
  func packing() throws {
    var count = 0
    while true {
      let number = count.isMultiple(of: 2) ? EIO : ENOSPC
      let device = FaultDevice(failingAfter: count, number: number)
      var caught: (any Error)?
      do { try Self.pack(device) } catch { caught = error }
      guard let caught else { break }
      if let error = caught as? ContainerError {
        #expect(error.code == .ioFailed, "call \(count)")
        #expect(error.reason.contains(SystemMessage.text(number)))
      } else {
        #expect((caught as? DeviceError)?.number == number, "call \(count)")
      }
      count += 1
    }
    #expect(count > 8)
  }

  @Test("reading from a device that fails at its n-th call is an error of the device, for every n")
  func reading() throws {
    let packed = try PackedArchive(
      [
        PackedItem(0, value: [1]), PackedItem(1, value: [UInt8](repeating: 7, count: 2 << 20)),
      ], compresses: false)
    let readers: [@Sendable (OpenedArchive) throws -> Void] = [
      { _ = try $0.listing() }, { _ = try $0.verify() },
      { archive in for item in packed.items { _ = try archive.get(item.token) } },
    ]
    for reader in readers {
      var count = 0
      while true {
        let device = FaultDevice(packed.bytes, failingAfter: count, number: EIO)
        let code = family {
          let archive = try OpenedArchive.open(
            device, credentials: packed.credentials, options: OpenOptions())
          try reader(archive)
        }
        guard let code else { break }
        #expect(code == .ioFailed, "call \(count)")
        count += 1
      }
      #expect(count >= 4)
    }
  }

  @Test("a device that fails is never told as damage by structure checks or pipes")
  func structure() throws {
    let packed = try PackedArchive([PackedItem(0, value: [1])])
    for count in 0..<3 {
      let device = FaultDevice(packed.bytes, failingAfter: count, number: EIO)
      let code = family { _ = try StructureCheck.run(device, checksBodies: true) }
      #expect(code == .ioFailed || code == nil)
      if count == 0 { #expect(code == .ioFailed) }
    }
  }
}
