// `kcarchive convert`: a property list in another format, or with changes. What is not changed stays as it stands in
// the file.

internal import ByteCoding
internal import PropertyListCodec

extension Verb {
  static let convert = Verb(.convert) { arguments, console throws(CommandError) in
    try arguments.refuseOutput(among: arguments.operands)
    let edits = try ListEdits.parse(arguments)
    var conversion = try Conversion(arguments, console)
    try conversion.apply(edits)
    return try conversion.write()
  }
}

private struct Conversion {
  private let arguments: ParsedArguments
  private let console: Console
  private let path: FilePath
  private let file: [UInt8]
  private let source: Source
  /// The list in the file: of JSON and typed streams, which cannot be changed in place, the binary list of the same
  /// values.
  private var document: PropertyListDocument
  private var changeCount = 0

  private enum Source {
    case list, signedList, typedStream, json
  }

  init(_ arguments: ParsedArguments, _ console: Console) throws(CommandError) {
    self.arguments = arguments
    self.console = console
    path = arguments.operands[0]
    file = try InspectedFile(path).bytes()
    var options = PropertyListDocument.Options()
    options.isStrict = arguments.has(.strict)
    let kind = ContentKind(file)
    source =
      switch kind {
      case .signedList: .signedList
      case .list(.typedStream): .typedStream
      case nil: Self.looksLikeJSON(file) ? .json : .list
      default: .list
      }
    let json = source == .json ? try Self.jsonValue(file, path) : .null
    do throws(PropertyListError) {
      switch source {
      case .list: document = try PropertyListDocument(file, options: options)
      case .signedList:
        document = try PropertyListDocument(try SignedList.content(of: file), options: options)
      case .typedStream:
        let stream = try PropertyListDocument(file, options: options)
        document = try PropertyListDocument(try stream.binary())
      case .json: document = try PropertyListDocument(try json.binary())
      }
    } catch {
      throw CommandError(error, file: path)
    }
    console.warn(
      document.irregularities.map { DescriptionError($0) }, of: document.irregularityCount,
      file: path)
  }

  private static func looksLikeJSON(_ file: [UInt8]) -> Bool {
    guard let first = file.first(where: { !" \t\r\n".utf8.contains($0) }) else { return false }
    return "{[\"-0123456789tfn".utf8.contains(first)
  }

  private static func jsonValue(
    _ file: [UInt8], _ path: FilePath
  ) throws(CommandError) -> PropertyListValue {
    do {
      return try PropertyListValue(json: file)
    } catch {
      throw CommandError(error, file: path)
    }
  }

  mutating func apply(_ edits: [PropertyListEdit]) throws(CommandError) {
    guard !edits.isEmpty else { return }
    if !target.isSame, document.format != .binary {
      // What the file's format has no word for, the other may have.
      do throws(PropertyListError) {
        document = try PropertyListDocument(try document.binary())
      } catch {
        throw CommandError(error, file: path)
      }
    }
    for edit in edits { try apply(edit) }
  }

  private mutating func apply(_ edit: PropertyListEdit) throws(CommandError) {
    do throws(DescriptionError) {
      let bytes = try document.bytes(applying: edit)
      do throws(PropertyListError) {
        document = try PropertyListDocument(bytes, options: document.options)
      } catch {
        throw DescriptionError(error)
      }
    } catch {
      throw CommandError(error, edit: edit, file: path)
    }
    changeCount += 1
  }

  // MARK: Writing

  /// The format to be written, and whether the file has it already.
  private var target: (format: ListTarget, isSame: Bool) {
    let isTyped = arguments.has(.typed)
    switch arguments.text(.to) {
    case "binary": return (.binary, document.format == .binary && source != .json)
    case "xml": return (.xml, document.format == .xml)
    case "openstep":
      return (
        .openStep(usesTypedValues: isTyped || isOpenStep, isStringsFile: false),
        isOpenStep && !document.isStringsFile
      )
    case "strings":
      return (
        .openStep(usesTypedValues: isTyped || isOpenStep, isStringsFile: true),
        isOpenStep && document.isStringsFile
      )
    case "json": return (.json(arguments.has(.plain) ? .plain : .tagged), false)
    default: break
    }
    if source == .json { return (.json(.tagged), false) }
    switch document.format {
    case .binary, .typedStream: return (.binary, true)
    case .xml: return (.xml, true)
    case .openStep:
      return (.openStep(usesTypedValues: true, isStringsFile: document.isStringsFile), true)
    }
  }

  private var isOpenStep: Bool { document.format == .openStep }

  func write() throws(CommandError) -> ExitStatus {
    let (format, isSame) = target
    let isRebuilt = arguments.has(.rebuild) || arguments.has(.sortKeys)
    var losses = ConversionLosses()
    if arguments.text(.to) == nil, changeCount == 0, !isRebuilt {
      try put(.unchanged(file))
    } else {
      if source == .typedStream, arguments.text(.to) == nil {
        throw CommandError(
          .failed, "typed streams are read and not written",
          hint: "'--to binary' makes a keyed archive of it", place: CommandError.Place(file: path))
      }
      if source == .signedList { losses.addSignature() }
      if isSame, !isRebuilt {
        try put(.unchanged(document.bytes))
      } else {
        try report(&losses, format)
        try put(.written(format))
      }
    }
    try finish(format, losses)
    return losses.partialCount > 0 ? .doneWithLosses : .done
  }

  /// Finds what the format cannot say. Throws where there is something that it has no word for.
  private func report(
    _ losses: inout ConversionLosses, _ format: ListTarget
  ) throws(CommandError) {
    do throws(PropertyListError) {
      losses.add(try document.losses(writing: format))
    } catch {
      throw CommandError(error, file: path)
    }
    guard losses.refusedCount > 0 else { return }
    for loss in losses.found where !loss.isPartial {
      console.warning(
        CommandError(.failed, loss.text, place: CommandError.Place(file: path)))
    }
    var hint = "'--to json' and '--to binary' have room for everything"
    if case .openStep(usesTypedValues: false, _) = format {
      hint = "'--typed' writes booleans, numbers and dates as GNUstep does; " + hint
    }
    throw CommandError(
      .failed,
      "\(counted(UInt64(losses.refusedCount), "value")) cannot be written in this format, and nothing "
        + "was written", hint: hint, place: CommandError.Place(file: path))
  }

  /// What goes to the output.
  private enum Content {
    case unchanged([UInt8])
    case written(ListTarget)
  }

  private func put(_ content: Content) throws(CommandError) {
    let output = arguments.path(.output) ?? "-"
    if output.isStandardStream {
      if case .binary = target.format { try console.output.refuseBinary("a binary property list") }
      // Standard output gets all of it or nothing, too.
      var text: [UInt8] = []
      try make(content) { text.append(copying: $0) }
      return try console.output.write(text)
    }
    let new = try NewOutput(output, replacing: arguments.has(.force), console)
    let sink = OutputSink(new)
    var failure: CommandError?
    try make(content) { bytes in
      guard failure == nil else { return }
      do throws(CommandError) {
        try sink.put(bytes)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    try new.sync()
    try new.publish()
  }

  private func make(_ content: Content, _ write: (RawSpan) -> Void) throws(CommandError) {
    do throws(PropertyListError) {
      switch content {
      case .unchanged(let bytes): write(bytes.bytes)
      case .written(let format): try make(format, write)
      }
    } catch {
      throw CommandError(error, file: path)
    }
  }

  private func make(
    _ format: ListTarget, _ write: (RawSpan) -> Void
  ) throws(PropertyListError) {
    let sortsKeys = arguments.has(.sortKeys)
    switch format {
    case .binary:
      let list = try document.binary()
      write(list.bytes)
    case .xml: try document.writeXML(sortsKeys: sortsKeys, write)
    case .openStep(let usesTypedValues, let isStringsFile):
      var options = OpenStepWritingOptions()
      options.sortsKeys = sortsKeys
      options.usesTypedValues = usesTypedValues
      options.isStringsFile = isStringsFile
      let list = try document.openStep(options)
      write(list.bytes)
    case .json(let form):
      var text = try document.json(form)
      text.append(UInt8(ascii: "\n"))
      write(text.bytes)
    }
  }

  private func finish(
    _ format: ListTarget, _ losses: ConversionLosses
  ) throws(CommandError) {
    guard arguments.wantsJSON else {
      let warnings = losses.found.map {
        CommandError(
          .doneWithLosses, "lost: " + $0.text, place: CommandError.Place(file: path))
      }
      console.warn(warnings, of: losses.partialCount, file: path)
      return
    }
    try console.output.write(
      JSONWriter.report("convert") { json in
        json.file("file", arguments.path(.output) ?? "-")
        json.key("to")
        json.string(format.name)
        json.key("changes")
        json.integer(Int64(changeCount))
        json.key("losses")
        json.integer(Int64(losses.partialCount))
        json.key("lost")
        json.beginArray()
        for loss in losses.found {
          json.beginObject()
          json.key("path")
          json.string(loss.path)
          json.key("reason")
          json.string(loss.reason)
          json.endObject()
        }
        json.endArray()
      })
  }
}

extension ListTarget {
  fileprivate var name: String {
    switch self {
    case .binary: "binary"
    case .xml: "xml"
    case .openStep(_, isStringsFile: true): "strings"
    case .openStep: "openstep"
    case .json: "json"
    }
  }
}

extension ConversionLoss {
  /// With its place.
  fileprivate var text: String { path.isEmpty ? reason : "\(quoted(path)): \(reason)" }
}
