// The constants of Spec/container.md, in its order. Nothing else in the module spells out a size.

package enum Format {
  /// The first bytes of a header copy; CR, LF and 0x1A show text-mode damage at once.
  package static let magic: [UInt8] = [0x89, 0x4B, 0x43, 0x41, 0x0D, 0x0A, 0x1A, 0x0A]
  package static let major: UInt16 = 1
  package static let minor: UInt16 = 0
  /// A writer of this version sets no feature bits and knows none.
  package static let knownIncompatibleFeatures: UInt32 = 0
  package static let knownReadOnlyFeatures: UInt32 = 0

  /// Sizes that a header copy can have: 4096·2^k, k = 0 … 6.
  package static let headerSizes = (0...6).map { 4096 << $0 }
  package static let archiveIDByteCount = 16
  package static let fileKeyByteCount = 32

  package static let slotByteCount = 184
  package static let largestSlot = 1024
  package static let mostSlots = 64

  /// Frames start at multiples of this.
  package static let alignment: UInt64 = 16
  package static let frameMagic: [UInt8] = [0x4B, 0x43, 0x46, 0x31]  // "KCF1"
  package static let frameHeaderByteCount = 32
  /// How much of a frame's header the tag covers.
  package static let authenticatedByteCount = 24
  package static let tagByteCount = 16
  package static let smallestSealed = 80
  package static let largestSealed = 1 << 20 + 16
  package static let largestPlaintext = 1 << 20
  /// The plaintext's own header: n, code, zeros.
  package static let plaintextHeaderByteCount = 8
  /// What all chunks of a value hold but the last.
  package static let chunkByteCount = largestPlaintext - plaintextHeaderByteCount

  package static let itemHeaderByteCount = 64
  /// A value has 8 TiB at most.
  package static let mostValueBytes: UInt64 = 1 << 43
  package static let commitContentByteCount = 132
  /// One COMMIT frame: header, 192 bytes of plaintext, tag.
  package static let commitFrameByteCount = 240
  package static let endMarkByteCount = 32
  package static let endOfSessionByteCount = 512
  package static let endMarkMagic: [UInt8] = Array("KCAEND\r\n".utf8)

  package static let indexEntryByteCount = 40
  package static let mostIndexEntries = 409
  package static let highestIndexLevel: UInt8 = 5

  /// A session ends before its sequence numbers or its bytes run out.
  package static let mostFramesInSession: UInt32 = UInt32.max - 2
  package static let mostBytesInSession: UInt64 = 16 << 40

  /// Deflate is tried on chunks from this size and kept when it saves a sixteenth.
  package static let smallestDeflated = 4096

  /// L(x) of the Spec: the domain separation of every derivation.
  package static func label(_ name: String) -> [UInt8] {
    Array("kcarchive/1 ".utf8) + Array(name.utf8) + [0]
  }
}

/// The frame types that this version knows.
package enum FrameType {
  package static let item: UInt8 = 1
  package static let value: UInt8 = 2
  package static let index: UInt8 = 3
  package static let commit: UInt8 = 4
  package static let void: UInt8 = 5
  /// Whether a frame of this type can be opened.
  static func isKnown(_ type: UInt8) -> Bool {
    (item...commit).contains(type) || type >= firstIgnorable
  }

  /// Types from here on may be skipped by who does not know them.
  package static let firstIgnorable: UInt8 = 128
}
