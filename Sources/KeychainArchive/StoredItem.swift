// An item as it stands in an archive: class and attributes, and how to get at its value.

package import ArchiveContainer
internal import ByteCoding
public import KeychainModel

public struct StoredItem: Sendable {
  /// Class and attributes.
  public let item: KeychainItem
  package let record: ItemRecord

  /// Whether it has a value, if only an empty one.
  public var hasValue: Bool { record.hasValue }

  /// The value's length in bytes; nil where the writer did not know it in advance.
  public var valueByteCount: UInt64? { record.valueByteCount }

  package init(_ record: ItemRecord) throws(ArchiveError) {
    self.record = record
    do {
      item = try KeychainItem(encodedAttributes: record.attributes.bytes)
    } catch {
      // The tag held, so its writer wrote it so.
      throw ArchiveError(.tampered, "item: \(error)", at: record.place)
    }
  }

  /// Whether the item model can read an item: what the container asks of who knows items.
  package static func check(_ record: ItemRecord) throws(ContainerError) {
    do {
      _ = try StoredItem(record)
    } catch {
      throw ContainerError(.tampered, error.reason, at: record.place)
    }
  }
}
