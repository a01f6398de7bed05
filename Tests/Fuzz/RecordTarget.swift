// The contents of frames, each by its own reader: items and tombstones, index nodes, commits. What is taken is the
// same when it is stored again.

import ByteCoding
import TestSupport

@testable import ArchiveContainer

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecords(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 0 else { return 0 }
  let content = unsafe Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
  let choice = unsafe start[0]
  let script = ArchiveScript.shared
  let first = UInt64(script.original.firstSession)
  let place: UInt64 = 1 << 20
  let header = FrameHeader(
    script.original.bytes.bytes, at: script.original.firstSession)!
  switch choice % 3 {
  case 0:
    let code = choice / 3 % 3
    if let item = try? ItemRecord(content.bytes, code: code, header: header, place: place) {
      _ = try? item.extents(from: first, before: place)
      precondition(item.attributes.count <= content.count)
    }
  case 1:
    guard
      let node = try? IndexNode(
        content.bytes, level: choice / 3 % 8, header: header, at: place, firstSession: first)
    else { return 0 }
    var stored = [UInt8](repeating: 0, count: content.count)
    var target = stored.mutableBytes
    for (number, entry) in node.entries.enumerated() {
      entry.store(in: &target, at: number * Format.indexEntryByteCount)
    }
    precondition(stored == content, "index node")
  default:
    var own = content
    if own.count >= 16 { own.store(place, at: 8) }
    guard let commit = try? Commit(own.bytes, framePlace: place, firstSession: first) else {
      return 0
    }
    var stored = [UInt8](repeating: 0, count: own.count)
    var target = stored.mutableBytes
    commit.store(in: &target, at: 0)
    precondition(stored == own, "commit")
  }
  return 0
}
