// Everything that readers say of an archive, collected so that tests can compare it.

package import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding

/// Takes a value into an array.
package final class CollectingSink: ValueSink {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package func write(_ part: RawSpan) throws(ContainerError) {
    bytes += part.array(at: 0, count: part.byteCount)
  }
}

/// Gives an array as a value that is read in small parts; of known or unknown length.
package final class ArraySource: ValueSource {
  package let byteCount: UInt64?
  private let bytes: [UInt8]
  private var position = 0

  /// - Parameter claimed: the length that the source names; nil for none.
  package init(_ bytes: [UInt8], claimed: Int?) {
    self.bytes = bytes
    byteCount = claimed.map(UInt64.init)
  }

  package func read(into target: inout MutableRawSpan) throws(ContainerError) -> Int {
    let count = min(target.byteCount, bytes.count - position)
    target.store(Array(bytes[position..<(position + count)]), at: 0)
    position += count
    return count
  }
}

/// What a scan gives.
package struct Listing: Sendable {
  package var items: [ItemRecord] = []
  package var outdated: Set<UInt64> = []
  package var findings: [ContainerError] = []

  package var places: [UInt64] { items.map(\.place) }

  /// The gravest finding's family.
  package var worst: ContainerError.Code? { findings.worst }
}

extension OpenedArchive {
  /// What listing gives.
  package func listing() throws -> Listing {
    var listing = Listing()
    var scan = ItemScan(self)
    while let item = try scan.next() {
      listing.items.append(item)
      if scan.mayBeOutdated { listing.outdated.insert(item.place) }
    }
    listing.findings = scan.findings
    return listing
  }

  /// The value of `item`; nil for none.
  package func value(of item: ItemRecord) throws -> [UInt8]? {
    guard item.hasValue else { return nil }
    let sink = CollectingSink()
    try ValueOpener(item, of: self, into: sink).run()
    return sink.bytes
  }

  /// The value of the item with `token`, found through the index: as a lookup does it.
  package func get(_ token: Token) throws -> [[UInt8]?] {
    var index = IndexReader(self)
    return try index.items(in: token...token).map { try value(of: $0) }
  }
}

extension [ContainerError] {
  /// The gravest one's family.
  package var worst: ContainerError.Code? { self.max { $0.severity < $1.severity }?.code }
}

extension VerifyReport {
  /// The gravest finding's family.
  package var worst: ContainerError.Code? { findings.map(\.error).worst }
}

/// The family of the `ContainerError` that `body` throws; nil where it throws none.
package func family(_ body: () throws -> Void) -> ContainerError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? ContainerError)?.code ?? ContainerError.Code.unexpected
  }
}

extension ContainerError.Code {
  /// An error of another type.
  fileprivate static var unexpected: Self { .cancelled }
}
