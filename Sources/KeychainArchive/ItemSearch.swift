// Finds items: by the index where the query names what it is sorted by, else by looking at all.

internal import ArchiveContainer
internal import ByteCoding
package import KeychainModel

/// What a search found.
package struct SearchResult: Sendable {
  package var items: [StoredItem] = []
  /// What could not be read on the way: items may be missing.
  package var losses: [ArchiveError] = []
}

extension KeychainArchive {
  /// All items that match `query`.
  package func search(_ query: AttributeQuery) throws(ArchiveError) -> SearchResult {
    var result = SearchResult()
    if let queries = query.lookups {
      do throws(ArchiveError) {
        for query in queries { result.items += try lookUp(query) }
        return result
      } catch  where error.code == .damaged || error.code == .tampered {
        // A node or an item on the way is lost; what else matches is found without the index.
        result = SearchResult(losses: [error])
      }
    }
    let told = Set(result.losses.map(\.offset))
    result.losses += try forEachItem { item, _ in
      if query.matches(item.item) { result.items.append(item) }
      return true
    }.filter { !told.contains($0.offset) }
    return result
  }

  /// Whether the index can answer `query`.
  package func canLookUp(_ query: AttributeQuery) -> Bool { query.lookups != nil }

  /// The items with the query's lookup key that match all of it.
  private func lookUp(_ query: AttributeQuery) throws(ArchiveError) -> [StoredItem] {
    guard let key = query.lookupKey else { return [] }
    var found: [StoredItem] = []
    do {
      let tokens = try TokenMaker(opened.keys)
      var index = IndexReader(opened)
      for record in try index.items(lookup: tokens.lookup(key.bytes)) {
        let item = try StoredItem(record)
        // Equal tokens are legal: what counts is what they stand for.
        if query.matches(item.item) { found.append(item) }
      }
    } catch let error as ContainerError {
      throw ArchiveError(error)
    } catch let error as ArchiveError {
      throw error
    } catch {
      preconditionFailure("only the two errors above are thrown here")
    }
    return found
  }

  /// Visits all items in the order of the file.
  ///
  /// - Parameter body: gets the item, and whether it may be an old revision of it; false ends the
  ///   visit.
  /// - Returns: what could not be read.
  package func forEachItem(
    _ body: (StoredItem, Bool) -> Bool
  ) throws(ArchiveError) -> [ArchiveError] {
    var scan = ItemScan(opened)
    var losses: [ArchiveError] = []
    while true {
      let record: ItemRecord?
      do {
        record = try scan.next()
      } catch {
        throw ArchiveError(error)
      }
      guard let record else { break }
      let item: StoredItem
      do {
        item = try StoredItem(record)
      } catch {
        losses.append(error)
        continue
      }
      guard body(item, scan.mayBeOutdated) else { break }
    }
    return losses + scan.findings.map { ArchiveError($0) }
  }
}

extension AttributeQuery {
  /// The same query by class, where the index can answer it: for the classes that have the attributes
  /// it names, each with its lookup key complete. Nil where every item has to be looked at.
  var lookups: [AttributeQuery]? {
    if itemClass != nil { return lookupKey == nil ? nil : [self] }
    // A service is an attribute of generic passwords only, a server of internet passwords only.
    let implied: ItemClass? =
      self[.service] != nil ? .genericPassword : self[.server] != nil ? .internetPassword : nil
    guard let implied else { return nil }
    var query = self
    query.itemClass = implied
    return query.lookupKey == nil ? nil : [query]
  }
}
