// What `inspect` shows of a property list or a keyed archive: one description, rendered as text, as JSON, as a
// table of its objects. All of a form is made before any of it is handed out, so nothing looks whole that is
// not.

internal import ByteCoding

/// How to read and to show a list.
public struct DescriptionOptions: Hashable, Sendable {
  /// Whether the first irregularity is an error.
  public var isStrict = false
  /// How many levels of lists within data are opened: 0 for none.
  public var nesting = 0
  /// How deep lines can be nested.
  public var maximumDepth = 512
  /// How many values JSON may have, shared ones counted at each place, where that is more than 16 times the bytes of the
  /// list: see `PropertyListDocument.Options`.
  public var maximumVisitCount = PropertyListDocument.Options().maximumVisitCount
  /// What the person who reads calls the number of levels, the file itself counted: for lines that say how to
  /// see more.
  public var depthName = "depth"

  public init() {}
}

/// A property list or a keyed archive, opened to be shown.
public struct PropertyListDescription: Sendable {
  public let document: PropertyListDocument
  /// The keyed archive that the list is; nil for other lists.
  public let archive: KeyedArchive?
  public let options: DescriptionOptions
  let opened: OpenedList

  /// Reads the list in `bytes`. Throws `notAList` where they do not begin as one.
  public init(
    _ bytes: [UInt8], options: DescriptionOptions = DescriptionOptions()
  ) throws(DescriptionError) {
    opened = try OpenedList(bytes, options: options)
    document = opened.document
    archive = opened.archive
    self.options = options
  }

  /// `keyed archive in a binary property list, 12 objects of 3 classes`, or `typed stream (NSArchiver), big-endian,
  /// 12 objects of 3 classes`; of a list in a signed message, with `signed (CMS)` behind it.
  public var title: String { opened.title }

  /// What a person has to know who looks at the list, in one line each.
  public var notes: [String] {
    opened.isSigned ? ["signed (CMS); the signature is not checked"] : []
  }

  /// Whether the list is in a signed message (CMS).
  public var isSigned: Bool { opened.isSigned }

  /// What Apple's readers let pass: the first ones of the list and of the archive.
  public var irregularities: [DescriptionError] {
    document.irregularities.map { DescriptionError($0) }
      + (archive?.irregularities.map { DescriptionError($0) } ?? [])
  }

  public var irregularityCount: Int {
    document.irregularityCount + (archive?.irregularityCount ?? 0)
  }

  /// What the list consists of. Throws `limit` where it is nested too deep.
  public func counts() throws(DescriptionError) -> ListCounts {
    do throws(PropertyListError) {
      var counts = try ListSurvey(
        document, from: document.root, maximumDepth: options.maximumDepth
      ).counts
      if let archive {
        let survey = try ArchiveSurvey(
          archive, from: archive.top.map(\.value), maximumDepth: options.maximumDepth)
        counts.depth = survey.depth
        counts.hasCycle = survey.hasCycle
      }
      return counts
    } catch {
      throw DescriptionError(error)
    }
  }

  /// The names of the archive's classes, each with how many objects it has; nothing for other lists.
  public var classes: [(name: String, count: Int)] { archive?.classCounts ?? [] }

  /// The list as a tree of lines, each with a line feed; text from the list has its controls written out.
  ///
  /// Throws `limit` where it is nested too deep or its text would be far longer than the list, and `notThere`
  /// where nothing is at `path`.
  public func text(at path: PropertyListPath? = nil) throws(DescriptionError) -> [UInt8] {
    var lines = TreeLines(
      byteLimit: document.expansionLimit, expected: 2 * document.bytes.count)
    var (list, place) = (opened, DescribedPlace.root)
    if let path { (list, place) = try opened.place(at: path, options: options) }
    do throws(PropertyListError) {
      switch place {
      case .root:
        if let archive = list.archive {
          try writeTop(of: archive, to: &lines)
        } else {
          try write(list.document.root, of: list.document, to: &lines)
        }
      case .node(let node): try write(node, of: list.document, to: &lines)
      case .reference(let reference, let archive):
        var text = try ArchiveText(
          archive, from: [reference], maximumDepth: options.maximumDepth, options: options,
          nesting: options.nesting)
        try text.write(reference, to: &lines)
      case .value(let value):
        // It has no bytes in the file, so it gets some.
        let document = try PropertyListDocument(try value.binary())
        try write(document.root, of: document, to: &lines)
      }
    } catch {
      throw DescriptionError(error)
    }
    return lines.bytes
  }

  /// The list as JSON: of a keyed archive, its objects as `ArchiveJSON` says; of other lists, the tagged form.
  ///
  /// Throws as `text` does, and `damaged` for a list that contains itself.
  public func json(at path: PropertyListPath? = nil) throws(DescriptionError) -> [UInt8] {
    var (list, place) = (opened, DescribedPlace.root)
    if let path { (list, place) = try opened.place(at: path, options: options) }
    do throws(PropertyListError) {
      switch place {
      case .root:
        guard let archive = list.archive else { return try list.document.json() }
        return try ArchiveJSON.json(of: archive, options: options)
      case .node(let node): return try list.document.json(of: node)
      case .reference(let reference, let archive):
        return try ArchiveJSON.json(of: reference, in: archive, options: options)
      case .value(let value): return try value.json()
      }
    } catch {
      throw DescriptionError(error)
    }
  }

  /// Data that is no list, in the line that it has in one: `data, 3 bytes   00ff10`.
  public static func text(ofData data: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    ScalarText.append(data: data, to: &text)
    return text + [0x0a]
  }

  private func write(
    _ node: PropertyListNode, of document: PropertyListDocument, to lines: inout TreeLines
  ) throws(PropertyListError) {
    var text = try ListText(
      document, from: node, maximumDepth: options.maximumDepth, options: options,
      nesting: options.nesting)
    try text.write(node, to: &lines)
  }

  private func writeTop(
    of archive: KeyedArchive, to lines: inout TreeLines
  ) throws(PropertyListError) {
    var text = try ArchiveText(
      archive, from: archive.top.map(\.value), maximumDepth: options.maximumDepth,
      options: options, nesting: options.nesting)
    for field in archive.top {
      TreeLines.Labels.append(key: field.name, to: &lines.bytes)
      lines.append("  ")
      try text.write(field.value, to: &lines)
    }
  }
}
