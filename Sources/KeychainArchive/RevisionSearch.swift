// Finds one revision of one item, and says why there is none.

internal import ArchiveContainer
package import KeychainModel

extension KeychainArchive {
  /// Revision `number` of the item that matches `query`: of a live one, or else of one that was deleted, the last
  /// of those with its primary key.
  ///
  /// - Returns: the one item in that revision; none where no item matches; several in their newest revisions.
  /// - Throws: `.itemNotFound` where the one item has no such revision, with those that it has.
  package func search(
    _ query: AttributeQuery, revision number: UInt64
  ) throws(ArchiveError) -> SearchResult {
    var result = try search(query)
    guard result.items.count <= 1 else { return result }
    var revisions = try RevisionReader(self)
    if let item = result.items.first {
      result.items = [
        try revisions.find(number, from: try revisions.newest(item.record), named: item)
      ]
      return result
    }
    let deleted = try lastDeleted(query, &result.losses)
    let named = deleted.compactMap(\.latest)
    guard named.count <= 1 else {
      result.items = named
      return result
    }
    guard let one = deleted.first(where: { $0.latest != nil }) ?? deleted.first else {
      return result
    }
    result.items = [try revisions.find(number, from: one.newest, named: one.latest)]
    return result
  }

  /// The deleted items that match, of each primary key the one that was deleted last, newest first.
  private func lastDeleted(
    _ query: AttributeQuery, _ losses: inout [ArchiveError]
  ) throws(ArchiveError) -> [HistoricItem] {
    var scan = try HistoryScan(self, matching: query)
    var deleted: [HistoricItem] = []
    var tokens: Set<Token> = []
    while let item = try scan.next() {
      guard item.newest.state != .live, tokens.insert(item.newest.record.token).inserted else {
        continue
      }
      deleted.append(item)
    }
    losses = scan.losses
    return deleted
  }
}

extension RevisionReader {
  /// Revision `number` of an item.
  ///
  /// - Parameter item: by which messages name it; nil where nothing of it is left.
  fileprivate mutating func find(
    _ number: UInt64, from newest: ItemRevision, named item: StoredItem?
  ) throws(ArchiveError) -> StoredItem {
    var numbers: [UInt64] = []
    var oldest = newest
    var current: ItemRevision? = newest
    while let revision = current {
      if let item = revision.item {
        if revision.number == number { return item }
        numbers.append(revision.number)
      }
      oldest = revision
      // Below it there is nothing that could be meant.
      if revision.number < number { break }
      current = try self.revision(before: revision)
    }
    while let revision = try self.revision(before: oldest) {
      numbers.append(revision.number)
      oldest = revision
    }
    let reason: String
    if newest.item == nil, newest.number == number {
      reason = "revision \(number) is its deletion"
    } else if number > 0, number < oldest.number {
      // A revision that names no older one, and is not the first, was rewritten without them.
      reason =
        oldest.record.replaces == 0
        ? "revision \(number) is gone: the archive was compacted since"
        : "revision \(number) was shredded"
    } else {
      reason = "there is no revision \(number)"
    }
    throw ArchiveError(
      .itemNotFound, reason, item: item?.item.displayName,
      hint: numbers.isEmpty ? "no revision is left" : Self.list(numbers.reversed()))
  }

  /// `there is revision 2`, `there are revisions 1 to 3 and 5`.
  private static func list(_ numbers: [UInt64]) -> String {
    var ranges: [(first: UInt64, last: UInt64)] = []
    for number in numbers {
      if let last = ranges.last, number == last.last + 1 {
        ranges[ranges.count - 1].last = number
      } else {
        ranges.append((number, number))
      }
    }
    var parts = ranges.flatMap { range -> [String] in
      switch range.last - range.first {
      case 0: ["\(range.first)"]
      case 1: ["\(range.first)", "\(range.last)"]
      default: ["\(range.first) to \(range.last)"]
      }
    }
    let last = parts.removeLast()
    let text = parts.isEmpty ? last : parts.joined(separator: ", ") + " and " + last
    return numbers.count == 1 ? "there is revision \(text)" : "there are revisions \(text)"
  }
}
