// Header copies of any bytes, their checksum made to hold: slots are read, and opened as far as that costs little.

import ByteCoding
import TestSupport

@testable import ArchiveContainer

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHeader(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let script = ArchiveScript.shared
  let size = script.original.firstSession / 2
  var copy = unsafe Array(UnsafeBufferPointer(start: start, count: min(count, size)))
  copy += [UInt8](repeating: 0, count: size - copy.count)
  // Else nearly every input ends at the first eight bytes, or at its size.
  copy.replaceSubrange(0..<8, with: script.original.bytes[..<8])
  copy.replaceSubrange(24..<28, with: script.original.bytes[24..<28])
  copy.repairHeader(at: 0, size: size)
  if let header = HeaderCopy(copy, at: 0), let slots = try? header.slots() {
    precondition(slots.count <= Format.mostSlots)
    precondition(slots.reduce(0) { $0 + $1.bytes.count } <= size)
    for slot in slots { _ = slot.label(keys: script.original.keys) }
  }
  let limits = KDFLimits(units: 1, memoryByteCount: 1 << 20)
  let bytes = copy + copy + script.original.bytes[(2 * size)...]
  let device = MemoryDevice(bytes)
  var options = OpenOptions()
  options.limits = limits
  _ = try? OpenedArchive.slots(of: device)
  let passphrase = try! Credential.samplePassphrase(Array("p".utf8))
  _ = try? OpenedArchive.open(
    device, credentials: script.original.credentials + [passphrase], options: options)
  return 0
}
