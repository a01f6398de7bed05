// Archives to be changed by a script: the input of a target is no archive but a list of edits, since no random
// byte survives a check or a tag. Edits are made on frames in the clear, which are then sealed again under the
// archive's own keys, or on the bytes of the file, as somebody makes them who has no key.

import ArchiveCrypto
import ByteCoding
import TestSupport

@testable import ArchiveContainer

/// Small archives of several sessions, always the same, and how to open them.
struct ArchiveScript {
  let original: PackedArchive
  /// Every value that a session ever wrote.
  let values: Set<[UInt8]>

  static let shared = ArchiveScript()

  private init() {
    let keys = try! ArchiveKeys(
      fileKey: SecretBytes(copying: [UInt8](repeating: 0x5a, count: 32).bytes),
      archiveID: [UInt8](repeating: 0xa5, count: 16))
    let text = Array(repeating: Array("the same words again and again, ".utf8), count: 160).joined()
    let items = [
      PackedItem(0, value: Array("zero".utf8)), PackedItem(1), PackedItem(2, value: Array(text)),
      PackedItem(3, value: []), PackedItem(4, value: Array("four".utf8)),
    ]
    let packed = try! PackedArchive(items, keys: keys)
    var builder = try! SessionBuilder(packed)
    let records = try! packed.open().listing().items
    try! builder.append([
      .add(PackedItem(5, value: Array("five".utf8))),
      .replace(records[0], PackedItem(0, value: Array("zero again".utf8))), .delete(records[4]),
    ])
    try! builder.append([.frame(type: 200, code: 1, content: [1, 2, 3]), .add(PackedItem(6))])
    try! builder.append([])
    var archive = packed
    archive.bytes = builder.bytes
    original = archive
    values = Set(
      (items.compactMap(\.value) + ["five", "zero again"].map { Array($0.utf8) }))
  }

  /// What a script has made.
  struct Edited {
    var bytes: [UInt8]
    /// Whether an edit needed the file key.
    var isForged = false
  }

  /// Carries out a script: five bytes an edit. The same script always gives the same archive.
  func run(_ script: UnsafeBufferPointer<UInt8>) -> Edited {
    var edited = Edited(bytes: original.bytes)
    for start in stride(from: 0, to: min(script.count, 60) - 4, by: 5) {
      let edit = (0..<5).map { unsafe Int(script[start + $0]) }
      apply(edit, to: &edited)
    }
    return edited
  }

  private func apply(_ edit: [Int], to edited: inout Edited) {
    let frames = FramePlace.walk(edited.bytes, from: original.firstSession)
    guard !frames.isEmpty else { return }
    let frame = frames[edit[1] % frames.count]
    let other = frames[edit[2] % frames.count]
    let number = edit[2] << 8 | edit[3]
    switch edit[0] % 12 {
    case 0: edited.bytes[number * 3 % edited.bytes.count] ^= UInt8(edit[4])
    case 1:
      edited.bytes[frame.place + number % frame.count] ^= UInt8(edit[4])
      edited.bytes.repairFrame(at: frame.place)
    case 2: edited.bytes.removeSubrange(frame.range)
    case 3: edited.bytes.insert(contentsOf: edited.bytes[frame.range], at: other.place)
    case 4 where frame.count == other.count && frame.place != other.place:
      let copy = Array(edited.bytes[frame.range])
      edited.bytes.replaceSubrange(frame.range, with: edited.bytes[other.range])
      edited.bytes.replaceSubrange(other.range, with: copy)
    case 5: edited.bytes.removeLast(min(number, edited.bytes.count - original.firstSession))
    case 6: edited.bytes.append(contentsOf: edited.bytes[frame.range])
    case 7:
      // A header copy, its checksum repaired.
      let place = edit[1] & 1 == 0 ? 0 : original.firstSession / 2
      edited.bytes[place + number % 1024] ^= UInt8(edit[4])
      edited.bytes.repairHeader(at: place)
    case 8: editHeader(edit, number, &edited)
    default: editPlaintext(frame, edit, number, &edited)
    }
  }

  /// Changes a header copy and signs it.
  private func editHeader(_ edit: [Int], _ number: Int, _ edited: inout Edited) {
    let size = original.firstSession / 2
    let place = edit[1] & 1 == 0 ? 0 : size
    guard edited.bytes.count >= place + size else { return }
    var copy = Array(edited.bytes[place..<(place + size)])
    copy[number % 512] ^= UInt8(edit[4])
    guard (try? HeaderCopy.seal(&copy, keys: original.keys)) != nil else { return }
    edited.bytes.replaceSubrange(place..<(place + size), with: copy)
    edited.isForged = true
  }

  /// Changes a frame's plaintext, type or sequence, and seals it.
  private func editPlaintext(
    _ frame: FramePlace, _ edit: [Int], _ number: Int, _ edited: inout Edited
  ) {
    let bytes = Array(edited.bytes[frame.range])
    guard let header = FrameHeader(bytes.bytes, at: 0), header.hasLegalLength,
      let cipher = try? SegmentCipher(keys: original.keys, segment: header.segment)
    else { return }
    var plaintext = SecretBytes(count: header.sealedByteCount - Format.tagByteCount)
    var target = plaintext.mutableBytes
    guard (try? cipher.open(bytes.bytes, header, at: 0, into: &target)) != nil else { return }
    var type = header.type
    var sequence = header.sequence
    switch edit[0] % 12 {
    case 9:
      let offset = number % plaintext.count
      var part = plaintext.mutableBytes
      part.store(part.bytes.u8(at: offset) ^ UInt8(edit[4]), at: offset)
    case 10: type = UInt8(edit[4] % 8)
    default: sequence = UInt32(truncatingIfNeeded: Int(sequence) + edit[4] - 128)
    }
    var sealed = [UInt8](repeating: 0, count: frame.count)
    var output = sealed.mutableBytes
    guard
      (try? cipher.seal(plaintext.bytes, type: type, sequence: sequence, into: &output)) != nil
    else { return }
    edited.bytes.replaceSubrange(frame.range, with: sealed)
    edited.isForged = true
  }
}
