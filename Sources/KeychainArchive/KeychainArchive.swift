// Opens an archive and answers questions about it.

package import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc
public import KeychainModel

/// An archive that is open for reading, at its newest commit. May be shared between threads.
public final class KeychainArchive: Sendable {
  package let opened: OpenedArchive

  package init(_ opened: OpenedArchive) {
    self.opened = opened
  }

  /// Opens the archive at `path`.
  ///
  /// - Parameter credentials: all are tried, those that cost least first.
  /// - Throws: every code of `ArchiveError` but `itemNotFound` and `duplicateItem`.
  public static func open(
    path: String, credentials: [ArchiveCredential]
  ) throws(ArchiveError) -> KeychainArchive {
    let device: FileDevice
    do {
      device = try FileDevice(reading: path)
    } catch {
      throw ArchiveError(error)
    }
    return try open(device, credentials: credentials, options: OpenOptions())
  }

  /// Opens the archive on `device`.
  package static func open(
    _ device: any Device, credentials: [ArchiveCredential], options: OpenOptions
  ) throws(ArchiveError) -> KeychainArchive {
    do {
      return KeychainArchive(
        try OpenedArchive.open(
          device, credentials: credentials.map(\.credential), options: options))
    } catch {
      throw ArchiveError(error)
    }
  }

  /// How many items there are.
  public var itemCount: UInt64 { opened.commit.liveItems }

  /// The number of the newest commit, from 1.
  public var commitNumber: UInt64 { opened.commit.number }

  /// All items that match `query`, without their values.
  ///
  /// Where the query names a class's lookup attributes (account and service of a generic password,
  /// for example) the index finds them with a few reads; else every item is looked at.
  ///
  /// - Throws: what keeps the archive from being read to its end. What the archive has lost is
  ///   reported by `search`, which goes on.
  public func items(matching query: AttributeQuery) throws(ArchiveError) -> [StoredItem] {
    let result = try search(query)
    if let loss = result.losses.first { throw loss }
    return result.items
  }

  /// The value of `item`.
  ///
  /// - Returns: nil where it has none.
  public func value(of item: StoredItem) throws(ArchiveError) -> [UInt8]? {
    guard item.hasValue else { return nil }
    let sink = ArraySink()
    try writeValue(of: item, to: sink)
    return sink.bytes
  }

  /// Hands the value of `item` to `sink`, in order.
  package func writeValue(
    of item: StoredItem, to sink: any ValueSink
  ) throws(ArchiveError) {
    do {
      try ValueOpener(item.record, of: opened, into: sink).run()
    } catch {
      throw ArchiveError(error, item: item.item.displayName)
    }
  }
}

extension KeychainArchive {
  /// Opens all of the value of `item` and lets it go.
  package func checkValue(of item: StoredItem) throws(ArchiveError) {
    try writeValue(of: item, to: DiscardingSink())
  }
}

private final class DiscardingSink: ValueSink {
  func write(_ part: RawSpan) throws(ContainerError) {}
}

/// Collects a value that its caller wants as an array.
private final class ArraySink: ValueSink {
  var bytes: [UInt8] = []

  func write(_ part: RawSpan) throws(ContainerError) {
    bytes += part.array(at: 0, count: part.byteCount)
  }
}
