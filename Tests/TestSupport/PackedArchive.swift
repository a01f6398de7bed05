// Small archives for tests, with what is in them and where. Their slot is a key file's: no KDF runs.

package import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding

/// An item as tests pack it: the container does not look into attributes.
package struct PackedItem: Sendable {
  package var token: Token
  package var attributes: [UInt8]
  package var value: [UInt8]?

  package init(_ token: Token, attributes: [UInt8] = [], value: [UInt8]? = nil) {
    self.token = token
    self.attributes = attributes
    self.value = value
  }

  /// An item with a token of its own, spread over all first bytes.
  package init(_ number: Int, value: [UInt8]? = nil) {
    let half = UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15
    self.init(Token(lookup: half, primary: ~half), attributes: [UInt8(number & 0xFF)], value: value)
  }
}

/// An archive's bytes, and all that a test may want to know of it.
package struct PackedArchive: Sendable {
  package var bytes: [UInt8]
  package let keys: ArchiveKeys
  package let credentials: [Credential]
  package let items: [PackedItem]
  package let summary: SessionSummary

  /// Packs `items` in one session.
  package init(
    _ items: [PackedItem], keys: ArchiveKeys? = nil, keyFile: UInt8 = 7, slots: Int = 1,
    compresses: Bool = true, isSeekable: Bool = true
  ) throws {
    let keys = try keys ?? ArchiveKeys.fresh()
    let credential = try Credential.sampleKeyFile(keyFile)
    var made: [Slot] = []
    for id in 1...slots {
      // The first slots are other people's, so that all are tried.
      let owner = id == slots ? credential : try Credential.sampleKeyFile(100 &+ UInt8(id))
      made.append(
        try Slot.make(for: owner, id: UInt32(id), cost: .standard, label: "slot \(id)", keys: keys))
    }
    let device = MemoryDevice(isSeekable: isSeekable)
    var writer = try SessionWriter(to: device, keys: keys, slots: made, compresses: compresses)
    for (origin, item) in items.enumerated() {
      if let value = item.value {
        try writer.append(
          attributes: item.attributes, token: item.token, value: value.bytes,
          origin: UInt32(origin))
      } else {
        try writer.append(
          attributes: item.attributes, token: item.token, value: nil, origin: UInt32(origin))
      }
    }
    summary = try writer.finish()
    bytes = device.contents
    self.keys = keys
    credentials = [credential]
    self.items = items
  }

  /// Where the sessions begin.
  package var firstSession: Int { 2 * Int(bytes.bytes.u32(at: 24)) }

  /// Opens `bytes`, or others in their place.
  package func open(
    _ changed: [UInt8]? = nil, options: OpenOptions = OpenOptions()
  ) throws -> OpenedArchive {
    try OpenedArchive.open(
      MemoryDevice(changed ?? bytes), credentials: credentials, options: options)
  }

  /// The frames of the first session, the commit's among them.
  package var frames: [FramePlace] { FramePlace.walk(bytes, from: firstSession) }
}

/// Where a frame stands and what its header says, read without the code under test.
package struct FramePlace: Sendable {
  package let place: Int
  package let count: Int
  package let type: UInt8
  package let sequence: UInt32

  package var range: Range<Int> { place..<(place + count) }
  package var end: Int { place + count }

  /// The frames from `start` on, as long as there are magics.
  package static func walk(_ bytes: [UInt8], from start: Int) -> [FramePlace] {
    var frames: [FramePlace] = []
    var place = start
    while place + 32 <= bytes.count, Array(bytes[place..<(place + 4)]) == Array("KCF1".utf8) {
      let span = bytes.bytes
      let frame = FramePlace(
        place: place, count: 32 + Int(span.u24(at: place + 5)), type: span.u8(at: place + 4),
        sequence: span.u32(at: place + 8))
      frames.append(frame)
      place = frame.end
    }
    return frames
  }
}

extension Credential {
  /// A key file of 32 times `byte`.
  package static func sampleKeyFile(_ byte: UInt8) throws -> Credential {
    let content = [UInt8](repeating: byte, count: 32)
    return .keyFile(digest: try keyFileDigest(of: content.bytes), origin: "a key file")
  }

  /// A passphrase of any bytes.
  package static func samplePassphrase(
    _ bytes: [UInt8], mixedWith keyFile: UInt8? = nil
  ) throws -> Credential {
    if let keyFile {
      let content = [UInt8](repeating: keyFile, count: 32)
      return .passphrase(
        SecretBytes(copying: bytes.bytes), mixedWith: try keyFileDigest(of: content.bytes),
        origin: "a passphrase")
    }
    return .passphrase(SecretBytes(copying: bytes.bytes), origin: "a passphrase")
  }
}
