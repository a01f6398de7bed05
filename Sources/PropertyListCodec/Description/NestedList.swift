// Property lists and keyed archives within data: preferences hold archived objects so, and archives lists.

/// A list found in data.
struct NestedList {
  /// What it is, for the line of the data.
  let title: String
  private var content: Content

  private enum Content {
    /// Not to be opened here.
    case closed
    case list(ListText)
    case archive(ArchiveText)
  }

  /// Nil when `data` does not hold a list that can be read, unless it begins as one that is no text, or as
  /// something of which only the name is known.
  ///
  /// - Parameters:
  ///   - nesting: how many levels of lists within data are opened.
  ///   - lines: where the data is to be written.
  init?(
    _ data: [UInt8], options: DescriptionOptions, nesting: Int, in lines: inout TreeLines
  ) {
    guard let kind = ContentKind(data, isNested: true) else { return nil }
    guard kind.refusal == nil else {
      title = kind.title
      content = .closed
      return
    }
    guard lines.mayOpen(data.count) else {
      title = "as a \(kind.title) begins; too much to look into"
      content = .closed
      return
    }
    let opened: OpenedList
    do throws(DescriptionError) {
      opened = try OpenedList(data, options: options)
    } catch {
      // Markup of other kinds begins as lists do.
      guard kind != .list(.xml) else { return nil }
      title = "\(kind.title) inside, \(error.family == .limit ? "too large" : "damaged")"
      content = .closed
      return
    }
    let isPlain = opened.archive == nil || kind == .list(.typedStream)
    let name = isPlain ? kind.title : "keyed archive"
    guard nesting > 0 else {
      // One level more than are opened, and the file itself.
      title = "\(name) inside (\(options.depthName) \(options.nesting + 2))"
      content = .closed
      return
    }
    let limit = options.maximumDepth - lines.depth - 1
    do {
      if let archive = opened.archive {
        content = .archive(
          try ArchiveText(
            archive, from: archive.top.map(\.value), maximumDepth: limit, options: options,
            nesting: nesting - 1))
      } else {
        content = .list(
          try ListText(
            opened.document, from: opened.document.root, maximumDepth: limit, options: options,
            nesting: nesting - 1))
      }
      title = opened.title
    } catch {
      title = "\(name) inside, nested too deep to be shown here"
      content = .closed
    }
  }

  /// Appends the lines below that of the data.
  consuming func writeChildren(to lines: inout TreeLines) throws(PropertyListError) {
    switch content {
    case .closed: break
    case .list(var text):
      let root = text.document.root
      if text.document.kind(of: root).isContainer {
        try text.writeChildren(of: root, to: &lines)
      } else {
        var labels = TreeLines.Labels()
        labels.add("")
        try lines.writeChildren(labels) { (lines, _) throws(PropertyListError) in
          try text.write(root, to: &lines)
        }
      }
    case .archive(var text):
      try text.write(fields: text.archive.top, to: &lines)
    }
  }
}

extension PropertyListDocument.Format {
  /// `binary property list`.
  var title: String {
    switch self {
    case .binary: "binary property list"
    case .xml: "XML property list"
    case .openStep: "OpenStep property list"
    case .typedStream: "typed stream"
    }
  }
}

extension PropertyListDocument {
  /// `XML property list`; of OpenStep's lists, `strings file, UTF-16`, since the encoding is half of what they are.
  fileprivate var title: String {
    guard format == .openStep, let textEncoding else { return format.title }
    return (isStringsFile ? "strings file" : format.title) + ", " + textEncoding.name
  }
}

/// A list, and the keyed archive that it is.
struct OpenedList: Sendable {
  let document: PropertyListDocument
  let archive: KeyedArchive?
  /// Whether it is in a signed message, whose signature nobody has checked.
  let isSigned: Bool

  init(_ bytes: [UInt8], options: DescriptionOptions) throws(DescriptionError) {
    var reading = PropertyListDocument.Options()
    reading.isStrict = options.isStrict
    reading.maximumVisitCount = options.maximumVisitCount
    isSigned = SignedList.isOne(bytes)
    do throws(PropertyListError) {
      let list = isSigned ? try SignedList.content(of: bytes) : bytes
      guard !isSigned || PropertyListDocument.format(of: list) != nil else {
        throw PropertyListError(
          .unsupportedFormat, offset: 0,
          reason: "a signed message (CMS) that holds no property list")
      }
      document = try PropertyListDocument(list, options: reading)
    } catch {
      throw DescriptionError(error)
    }
    guard KeyedArchive.isArchive(document) else {
      archive = nil
      return
    }
    var archiveReading = KeyedArchive.Options()
    archiveReading.isStrict = options.isStrict
    archiveReading.maximumVisitCount = options.maximumVisitCount
    do throws(KeyedArchiveError) {
      archive = try KeyedArchive(document, options: archiveReading)
    } catch {
      throw DescriptionError(error)
    }
  }

  /// `keyed archive in a binary property list, 12 objects of 3 classes`.
  var title: String { listTitle + (isSigned ? ", signed (CMS)" : "") }

  private var listTitle: String {
    guard let archive else {
      return "\(document.title), \(document.nodeCount.counted("object"))"
    }
    let objects = archive.instanceCount.counted("object")
    let classes = archive.classCounts.count.counted("class", "classes")
    if let order = TypedStream.byteOrder(of: document.bytes) {
      return "typed stream (NSArchiver), \(order)-endian, \(objects) of \(classes)"
    }
    let article = document.format == .binary ? "a" : "an"
    return "keyed archive in \(article) \(document.format.title), \(objects) of \(classes)"
  }
}

extension KeyedArchive {
  /// Objects by class, in the order of their first ones. Objects without a class are not in it.
  var classCounts: [(name: String, count: Int)] {
    var places: [ArchivedClass: Int] = [:]
    var counts: [(name: String, count: Int)] = []
    // Names can be long, so they are compared once for each class.
    var placesByNumber: [Int: Int] = [:]
    for number in 0..<objectCount {
      let object = Object(number: number)
      guard let classNumber = classNumber(of: object), let archived = archivedClass(of: object)
      else { continue }
      if let place = placesByNumber[classNumber] {
        counts[place].count += 1
        continue
      }
      placesByNumber[classNumber] = places[archived] ?? counts.count
      if let place = places[archived] {
        counts[place].count += 1
      } else {
        places[archived] = counts.count
        counts.append((archived.name, 1))
      }
    }
    return counts
  }

  /// How many objects there are, without `$null` and the descriptions of classes.
  var instanceCount: Int {
    (0..<objectCount).count { number in
      let node = node(of: Object(number: number))
      if number == 0, document.text(of: node, equals: "$null") { return false }
      return document.value(for: "$classname", in: node) == nil
        || archivedClass(of: Object(number: number)) != nil
    }
  }
}
