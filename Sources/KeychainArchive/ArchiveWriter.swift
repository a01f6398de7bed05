// Makes a new archive: items in, one pass, then read back and given its name.

package import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
package import KeychainModel

/// How a new archive is made.
package struct WriteOptions: Sendable {
  /// The KDF of passphrase slots.
  package var cost = KDFCost.standard
  /// A label for each slot, at most 32 bytes of UTF-8.
  package var label = ""
  /// Whether values that shrink are deflated.
  package var compresses = true
  /// What a session may hold before the writer commits and goes on in another. Below the format's own only in
  /// tests.
  package var limits = SessionLimits.standard

  package init() {}
}

/// What was written.
package struct WriteSummary: Sendable {
  package let itemCount: UInt64
  package let byteCount: UInt64
  fileprivate let session: SessionSummary

  init(_ session: SessionSummary) {
    self.session = session
    itemCount = session.commit.liveItems
    byteCount = session.commit.end
  }

  package var commitNumber: UInt64 { session.commit.number }
}

/// Writes items to a device. Nothing counts before `finish`.
package struct ArchiveWriter: ~Copyable {
  private let keys: ArchiveKeys
  private let device: any Device
  private var encoder: ItemEncoder
  private var session: SessionWriter

  /// - Parameter credentials: each gets a slot.
  package init(
    to device: any Device, credentials: [ArchiveCredential], options: WriteOptions
  ) throws(ArchiveError) {
    let (keys, slots) = try NewKeys.make(for: credentials, options)
    let session = try Self.session(device, keys, slots, options)
    do {
      encoder = try ItemEncoder(keys)
    } catch {
      throw ArchiveError(error)
    }
    self.keys = keys
    self.session = session
    self.device = device
  }

  private static func session(
    _ device: any Device, _ keys: ArchiveKeys, _ slots: [Slot], _ options: WriteOptions
  ) throws(ArchiveError) -> SessionWriter {
    do {
      return try SessionWriter(
        to: device, keys: keys, slots: slots, compresses: options.compresses,
        limits: options.limits)
    } catch {
      throw ArchiveError(error)
    }
  }

  package var itemCount: UInt64 { session.itemCount }
  package var byteCount: UInt64 { session.byteCount }

  /// Appends an item with a value that is at hand; nil for none.
  ///
  /// - Parameter origin: what the caller knows the item by, for messages about duplicates.
  package mutating func append(
    _ item: KeychainItem, value: RawSpan?, origin: UInt32
  ) throws(ArchiveError) {
    let token = try encoder.encode(item)
    do {
      try session.append(
        attributes: encoder.attributes, token: token, value: value, origin: origin)
    } catch {
      throw ArchiveError(error, item: item.displayName)
    }
  }

  /// Appends an item whose value is read from `source`.
  package mutating func append(
    _ item: KeychainItem, source: any ValueSource, origin: UInt32
  ) throws(ArchiveError) {
    let token = try encoder.encode(item)
    do {
      try session.append(
        attributes: encoder.attributes, token: token, source: source, origin: origin)
    } catch {
      throw ArchiveError(error, item: item.displayName)
    }
  }

  /// Writes index and commit. The device is not synced yet.
  ///
  /// - Throws: `.duplicateItem` with both origins.
  package consuming func finish() throws(ArchiveError) -> WriteSummary {
    let (device, keys) = (device, keys)
    do {
      return WriteSummary(try session.finish())
    } catch {
      let record = error.code == .duplicateItem ? error.offset : nil
      let item = record.flatMap { OpenedArchive.item(at: $0, on: device, keys: keys) }
      throw ArchiveError(error, item: item.flatMap { try? StoredItem($0).item.displayName })
    }
  }

  /// What reads back what this writer has written; taken before `finish`.
  package var readBack: ReadBack { ReadBack(device: device, keys: keys) }
}

/// Compares an archive that was just written with what it should be, with the keys at hand.
package struct ReadBack: Sendable {
  private let device: any Device
  private let keys: ArchiveKeys

  init(device: any Device, keys: ArchiveKeys) {
    self.device = device
    self.keys = keys
  }

  /// How much of long values is opened.
  package enum Depth: Sendable {
    /// Of values over 64 MiB the first and the last chunk, and every frame's header.
    case standard
    /// Every byte.
    case everything
  }

  /// The archive that was written, to be compared with what it was made from.
  package func open() throws(ArchiveError) -> KeychainArchive {
    do {
      return KeychainArchive(try OpenedArchive.written(device, keys: keys))
    } catch {
      throw ArchiveError(error)
    }
  }

  package func run(
    _ summary: WriteSummary, depth: Depth, progress: ((UInt64) -> Void)? = nil
  ) throws(ArchiveError) {
    do {
      try OpenedArchive.readBack(
        device, keys: keys, expecting: summary.session,
        openedValueLimit: depth == .everything ? .max : 64 << 20, progress: progress)
    } catch {
      throw ArchiveError(
        error.code == .ioFailed ? .ioFailed : .damaged,
        "what was written reads back differently: \(error.reason)", at: error.offset,
        hint: "the disk or the memory may be failing; nothing was replaced")
    }
  }
}
