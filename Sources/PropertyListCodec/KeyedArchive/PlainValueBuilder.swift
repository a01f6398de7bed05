// Trees of plain values out of graphs of objects. Each object is decoded once and its value shared, while depth
// and the number of values are counted as if it were written out at each place.

extension KeyedArchive {
  /// The whole archive as a tree of plain values: the value of the key `root` where it is the only one in
  /// `$top`, else a dictionary of all keys.
  ///
  /// Throws `cycle`, `nestingTooDeep`, `tooManyVisits`, `danglingReference`, `classNotAllowed`, and
  /// `noPlainValue` for objects of classes that are not known; `path` tells the way there.
  public func plainValue() throws(KeyedArchiveError) -> PropertyListValue {
    var builder = PlainValueBuilder(self)
    if top.count == 1, top[0].name.utf8.elementsEqual("root".utf8) {
      do throws(KeyedArchiveError) {
        return try builder.value(of: top[0].value)
      } catch {
        throw error.inside(.name("root"))
      }
    }
    var entries: [PropertyListValue.Entry] = []
    for field in top {
      do throws(KeyedArchiveError) {
        entries.append(PropertyListValue.Entry(field.name, try builder.value(of: field.value)))
      } catch {
        throw error.inside(.name(field.name))
      }
    }
    return .dictionary(entries)
  }

  /// The tree of plain values below a reference. Throws as `plainValue()` does.
  public func plainValue(
    of reference: Reference
  ) throws(KeyedArchiveError) -> PropertyListValue {
    var builder = PlainValueBuilder(self)
    return try builder.value(of: reference)
  }
}

private struct PlainValueBuilder {
  private typealias Entry = PropertyListValue.Entry

  /// Marks in the tables below; other numbers are one more than an index of `finished`.
  private enum Mark {
    static let unseen: UInt32 = 0
    /// On the way to where the builder is.
    static let open = UInt32.max
  }

  /// A value that is made: how deep it is nested, how many values it has.
  private struct Finished {
    let value: PropertyListValue
    let height: Int
    let visits: Int
  }

  private let archive: KeyedArchive
  private let document: PropertyListDocument
  private let visitLimit: Int
  /// By object.
  private var objectMarks: [UInt32]
  /// By node, of what is written in place.
  private var nodeMarks: [UInt32]
  private var finished: [Finished] = []

  /// How many containers are open.
  private var depth = 0
  /// Of the container that is being built: how deep its elements are nested, how many values it has so far.
  private var height = 0
  private var visits = 0
  /// How many values have been made, shared ones once.
  private var made = 0

  init(_ archive: KeyedArchive) {
    self.archive = archive
    document = archive.document
    let (scaled, overflow) = archive.document.bytes.count.multipliedReportingOverflow(by: 64)
    visitLimit = max(archive.options.maximumVisitCount, overflow ? .max : scaled)
    objectMarks = Array(repeating: Mark.unseen, count: archive.objectCount)
    nodeMarks = Array(repeating: Mark.unseen, count: document.nodeCount)
  }

  mutating func value(
    of reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) -> PropertyListValue {
    switch reference {
    case .null:
      visits += 1
      return .null
    case .inline(let node):
      switch nodeMarks[node.index] {
      case Mark.unseen: break
      case Mark.open: throw error(.cycle, reference, "a container contains itself")
      case let mark: return try reuse(mark, reference)
      }
      guard isKept(node) else { return try leaf(node, reference) }
      nodeMarks[node.index] = Mark.open
      let value = try build(reference)
      nodeMarks[node.index] = UInt32(truncatingIfNeeded: finished.count)
      return value
    case .object(let object):
      switch objectMarks[object.number] {
      case Mark.unseen: break
      case Mark.open: throw error(.cycle, reference, "an object contains itself")
      case let mark: return try reuse(mark, reference)
      }
      let node = archive.node(of: object)
      guard isKept(node) else { return try leaf(node, reference) }
      objectMarks[object.number] = Mark.open
      let value = try build(reference)
      objectMarks[object.number] = UInt32(truncatingIfNeeded: finished.count)
      return value
    }
  }

  /// Whether the value of a node is made once. Others are small and have no memory of their own.
  private func isKept(_ node: PropertyListNode) -> Bool {
    let kind = document.kind(of: node)
    return kind.isContainer || document.range(of: node).count > 16
  }

  private mutating func leaf(
    _ node: PropertyListNode, _ reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) -> PropertyListValue {
    visits += 1
    made += 1
    guard made <= visitLimit else { throw tooManyVisits(reference) }
    // UIDs in place and `$null`.
    switch document.kind(of: node) {
    case .uid, .string: return try make(try archive.value(of: reference), reference)
    default: return document.scalar(node)
    }
  }

  /// A finished value at one more place.
  private mutating func reuse(
    _ mark: UInt32, _ reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) -> PropertyListValue {
    let value = finished[Int(mark) - 1]
    try add(height: value.height, visits: value.visits, reference)
    return value.value
  }

  /// Makes a value and keeps it as the last of `finished`.
  private mutating func build(
    _ reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) -> PropertyListValue {
    made += 1
    guard made <= visitLimit else { throw tooManyVisits(reference) }
    // What is no container does not nest; that is known only when it is decoded.
    guard depth <= archive.options.maximumDepth else {
      throw error(.nestingTooDeep, reference, "objects are nested deeper than the limit")
    }
    let outer = (height: height, visits: visits)
    (height, visits) = (0, 1)
    let archived = try archive.value(of: reference)
    depth += 1
    let value = try make(archived, reference)
    depth -= 1
    let isContainer: Bool =
      switch archived {
      case .null, .scalar, .url: false
      default: true
      }
    let own = Finished(value: value, height: height + (isContainer ? 1 : 0), visits: visits)
    finished.append(own)
    (height, visits) = outer
    try add(height: own.height, visits: own.visits, reference)
    return value
  }

  private mutating func add(
    height: Int, visits: Int, _ reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) {
    self.height = max(self.height, height)
    guard depth + height <= archive.options.maximumDepth else {
      throw error(.nestingTooDeep, reference, "objects are nested deeper than the limit")
    }
    let (sum, overflow) = self.visits.addingReportingOverflow(visits)
    guard !overflow, sum <= visitLimit else { throw tooManyVisits(reference) }
    self.visits = sum
  }

  // MARK: Values

  private mutating func make(
    _ archived: ArchivedValue, _ reference: KeyedArchive.Reference
  ) throws(KeyedArchiveError) -> PropertyListValue {
    switch archived {
    case .null: return .null
    case .scalar(let value): return value
    case .array(let elements): return .array(try values(of: elements))
    case .set(let elements): return .set(try values(of: elements))
    case .orderedSet(let elements): return .orderedSet(try values(of: elements))
    case .countedSet(let elements):
      let values = try values(of: elements.map(\.element))
      return .array(
        zip(values, elements).map { value, element in
          .dictionary([
            Entry("element", value), Entry("count", .integer(Int128(element.count))),
          ])
        })
    case .dictionary(let pairs):
      var entries: [Entry] = []
      entries.reserveCapacity(pairs.count)
      for (index, pair) in pairs.enumerated() {
        let key = try value(of: pair.key, at: index)
        do throws(KeyedArchiveError) {
          entries.append(Entry(key, try value(of: pair.value)))
        } catch {
          if case .string(let name) = key { throw error.inside(.name(name)) }
          throw error.inside(.index(index))
        }
      }
      return .dictionary(entries)
    case .url(let base, let relative):
      switch try value(of: base, named: "base") {
      case .null: return .url([relative])
      case .url(let texts): return .url(texts + [relative])
      default: throw error(.noPlainValue, reference, "a URL whose base is no URL")
      }
    case .attributedString(let text, let runs):
      let attributes = try values(of: runs.map(\.attributes))
      return .dictionary([
        Entry("string", .string(text)),
        Entry(
          "runs",
          .array(
            zip(runs, attributes).map { run, attributes in
              .dictionary([
                Entry("location", .integer(Int128(run.range.lowerBound))),
                Entry("length", .integer(Int128(run.range.count))),
                Entry("attributes", attributes),
              ])
            })),
      ])
    case .described(let description): return try make(description)
    case .record:
      throw error(.noPlainValue, reference, "an object of a class that has no plain value")
    }
  }

  private mutating func make(
    _ description: ArchivedDescription
  ) throws(KeyedArchiveError) -> PropertyListValue {
    if description.parts.count == 1, case .value(let value) = description.parts[0].value {
      return value
    }
    var entries: [Entry] = []
    for part in description.parts {
      switch part.value {
      case .value(let value): entries.append(Entry(part.name, value))
      case .reference(let reference):
        entries.append(Entry(part.name, try value(of: reference, named: part.name)))
      }
    }
    return .dictionary(entries)
  }

  private mutating func values(
    of references: [KeyedArchive.Reference]
  ) throws(KeyedArchiveError) -> [PropertyListValue] {
    var values: [PropertyListValue] = []
    values.reserveCapacity(references.count)
    for (index, reference) in references.enumerated() {
      values.append(try value(of: reference, at: index))
    }
    return values
  }

  private mutating func value(
    of reference: KeyedArchive.Reference, at index: Int
  ) throws(KeyedArchiveError) -> PropertyListValue {
    do throws(KeyedArchiveError) {
      return try value(of: reference)
    } catch {
      throw error.inside(.index(index))
    }
  }

  private mutating func value(
    of reference: KeyedArchive.Reference, named name: String
  ) throws(KeyedArchiveError) -> PropertyListValue {
    do throws(KeyedArchiveError) {
      return try value(of: reference)
    } catch {
      throw error.inside(.name(name))
    }
  }

  // MARK: Errors

  private func error(
    _ code: KeyedArchiveError.Code, _ reference: KeyedArchive.Reference, _ reason: String
  ) -> KeyedArchiveError {
    switch reference {
    case .null: KeyedArchiveError(code, offset: 0, object: 0, reason: reason)
    case .inline(let node):
      KeyedArchiveError(code, offset: document.range(of: node).lowerBound, reason: reason)
    case .object(let object): archive.error(code, object, reason)
    }
  }

  private func tooManyVisits(_ reference: KeyedArchive.Reference) -> KeyedArchiveError {
    error(.tooManyVisits, reference, "shared objects stand for more values than the limit")
  }
}
