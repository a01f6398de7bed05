// Frames as somebody sees them who has no key: a file of any bytes behind a sound header, walked over, looked
// through for something to salvage, and read from a pipe. Where the input says so, checks are made to hold.

import ArchiveContainer
import ByteCoding
import TestSupport

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 0 else { return 0 }
  let script = ArchiveScript.shared
  var body = unsafe Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
  if unsafe start[0] & 1 == 1 {
    for place in stride(from: 0, to: body.count - 31, by: 16)
    where body[place..<(place + 4)].elementsEqual("KCF1".utf8) {
      body.repairFrame(at: place)
    }
  }
  let bytes = Array(script.original.bytes[..<script.original.firstSession]) + body
  let structure = try? StructureCheck.run(MemoryDevice(bytes), checksBodies: true)
  precondition(structure.map { $0.frameCount <= UInt64(count / 112 + 1) } ?? true, "frames")
  if let archive = try? script.original.open(bytes) { _ = try? archive.verify() }
  _ = try? OpenedArchive.verify(
    pipe: MemoryDevice(bytes, isSeekable: false), credentials: script.original.credentials,
    options: OpenOptions())
  _ = try? Salvage(
    MemoryDevice(bytes), credentials: script.original.credentials, limits: .standard,
    savedHeader: nil)
  return 0
}
