// The objects of a keyed archive as JSON (Spec/keyed-archive.md, "Objects as JSON"): a value without a class as a
// property list, an object of a class as an object with `$class` and members by what it is. An object that several
// places refer to is written at the first, with its number as `$id`, and is `{"$ref":12}` at the others.

internal import ByteCoding

struct ArchiveJSON {
  private let archive: KeyedArchive
  private let survey: ArchiveSurvey
  private var writer: PropertyListJSONWriter
  private var isWritten: [Bool]

  /// An object with the keys of `$top`.
  static func json(
    of archive: KeyedArchive, options: DescriptionOptions
  ) throws(PropertyListError) -> [UInt8] {
    var json = try ArchiveJSON(archive, from: archive.top.map(\.value), options)
    json.writer.json.beginObject()
    try json.write(archive.top)
    json.writer.json.endObject()
    return json.writer.json.bytes
  }

  static func json(
    of reference: KeyedArchive.Reference, in archive: KeyedArchive, options: DescriptionOptions
  ) throws(PropertyListError) -> [UInt8] {
    var json = try ArchiveJSON(archive, from: [reference], options)
    try json.write(reference)
    return json.writer.json.bytes
  }

  private init(
    _ archive: KeyedArchive, from roots: [KeyedArchive.Reference], _ options: DescriptionOptions
  ) throws(PropertyListError) {
    self.archive = archive
    survey = try ArchiveSurvey(archive, from: roots, maximumDepth: options.maximumDepth)
    writer = PropertyListJSONWriter(.tagged, byteLimit: archive.document.expansionLimit)
    isWritten = Array(repeating: false, count: survey.isShared.count)
  }

  // MARK: References

  private mutating func write(
    _ reference: KeyedArchive.Reference
  ) throws(PropertyListError) {
    guard let place = archive.place(reference) else { return writer.json.null() }
    let value: ArchivedValue
    do throws(KeyedArchiveError) {
      value = try archive.value(of: reference)
    } catch {
      // A UID that leads to no object: as the list has it.
      return try write(uid: reference)
    }
    let isLong = isLong(value)
    guard survey.isShared[place], isLong || isObject(value) else {
      return try write(value, reference, id: nil)
    }
    if isWritten[place] {
      writer.json.beginObject()
      writer.json.key("$ref")
      writer.json.integer(Int64(place))
      writer.json.endObject()
      return
    }
    isWritten[place] = true
    guard isLong else { return try write(value, reference, id: place) }
    writer.json.beginObject()
    write(id: place)
    writer.json.key("value")
    try write(value, reference, id: nil)
    writer.json.endObject()
  }

  private mutating func write(uid reference: KeyedArchive.Reference) throws(PropertyListError) {
    switch reference {
    case .null: writer.json.null()
    case .inline(let node): try writer.write(archive.document.scalar(node))
    case .object(let object):
      try writer.write(archive.document.scalar(archive.node(of: object)))
    }
  }

  /// Whether a value is written as an object that can have an `$id`.
  private func isObject(_ value: ArchivedValue) -> Bool {
    switch value {
    case .null, .scalar: false
    default: true
    }
  }

  /// Whether a value without others in it is too long to be written at each place.
  private func isLong(_ value: ArchivedValue) -> Bool {
    switch value {
    case .scalar(.string(let text)): text.utf8.count > SharedText.shortCount
    case .scalar(.data(let bytes)), .scalar(.unknown(let bytes)):
      bytes.count > SharedText.shortCount
    default: false
    }
  }

  private mutating func write(id: Int?) {
    guard let id else { return }
    writer.json.key("$id")
    writer.json.integer(Int64(id))
  }

  // MARK: Values

  private mutating func write(
    _ value: ArchivedValue, _ reference: KeyedArchive.Reference, id: Int?
  ) throws(PropertyListError) {
    switch value {
    case .null: return writer.json.null()
    case .scalar(let scalar): return try writer.write(scalar)
    default: break
    }
    writer.json.beginObject()
    writer.json.key("$class")
    if case .object(let object) = reference, let archived = archive.archivedClass(of: object) {
      writer.json.string(archived.name)
    } else {
      // A collection that is written in place.
      writer.json.null()
    }
    write(id: id)
    switch value {
    case .null, .scalar: break
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      try write("elements", elements)
    case .countedSet(let elements):
      try write("elements", elements.map(\.element))
      writer.json.key("counts")
      writer.json.beginArray()
      for element in elements { writer.json.integer(Int64(element.count)) }
      writer.json.endArray()
    case .dictionary(let entries): try write(entries)
    case .url(let base, let relative):
      writer.json.key("url")
      writer.json.string(relative)
      guard base != .null else { break }
      writer.json.key("base")
      try write(base)
    case .attributedString(let text, let runs):
      writer.json.key("string")
      writer.json.string(text)
      writer.json.key("runs")
      writer.json.beginArray()
      for run in runs {
        writer.json.beginObject()
        writer.json.key("location")
        writer.json.integer(Int64(run.range.lowerBound))
        writer.json.key("length")
        writer.json.integer(Int64(run.range.count))
        writer.json.key("attributes")
        try write(run.attributes)
        writer.json.endObject()
      }
      writer.json.endArray()
    case .described(let description):
      writer.json.key("type")
      writer.json.string(description.type)
      writer.json.key("text")
      writer.json.string(description.text)
      writer.json.key("parts")
      writer.json.beginObject()
      for part in description.parts {
        writer.json.key(part.name)
        switch part.value {
        case .value(let value): try writer.write(value)
        case .reference(let reference): try write(reference)
        }
      }
      writer.json.endObject()
    case .record(_, let fields):
      writer.json.key("fields")
      writer.json.beginObject()
      try write(fields)
      writer.json.endObject()
    }
    writer.json.endObject()
  }

  private mutating func write(_ fields: [KeyedArchive.Field]) throws(PropertyListError) {
    for field in fields {
      writer.json.key(field.name)
      try write(field.value)
    }
  }

  private mutating func write(
    _ key: String, _ references: [KeyedArchive.Reference]
  ) throws(PropertyListError) {
    writer.json.key(key)
    writer.json.beginArray()
    for reference in references { try write(reference) }
    writer.json.endArray()
  }

  /// As an object under `entries` where all keys are strings and no two are the same, else as `pairs`.
  private mutating func write(
    _ entries: [(key: KeyedArchive.Reference, value: KeyedArchive.Reference)]
  ) throws(PropertyListError) {
    var keys: [String] = []
    var seen = Set<PropertyListValue>()
    for entry in entries {
      guard case .scalar(.string(let key))? = try? archive.value(of: entry.key),
        seen.insert(.string(key)).inserted
      else { break }
      keys.append(key)
    }
    guard keys.count < entries.count else {
      writer.json.key("entries")
      writer.json.beginObject()
      for (key, entry) in zip(keys, entries) {
        writer.json.key(key)
        try write(entry.value)
      }
      writer.json.endObject()
      return
    }
    writer.json.key("pairs")
    writer.json.beginArray()
    for entry in entries {
      writer.json.beginArray()
      try write(entry.key)
      try write(entry.value)
      writer.json.endArray()
    }
    writer.json.endArray()
  }
}
