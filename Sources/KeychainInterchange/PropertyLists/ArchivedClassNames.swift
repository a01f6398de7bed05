// Other names for classes in keyed archives: programs rename their classes and modules, and then can't read what they
// archived before.

internal import KeychainModel
internal import PropertyListCodec

/// New names of classes by old ones, each of both there once.
struct ArchivedClassNames: Equatable, Sendable {
  private var names: [[UInt8]: [UInt8]] = [:]

  init() {}

  var isEmpty: Bool { names.isEmpty }

  /// Nil for what is no dictionary of texts, and where two classes would get one name.
  init?(_ value: PropertyListValue) {
    guard case .dictionary(let entries) = value else { return nil }
    for entry in entries {
      guard case .string(let old) = entry.key, case .string(let new) = entry.value,
        !old.isEmpty, !new.isEmpty,
        names.updateValue(Array(new.utf8), forKey: Array(old.utf8)) == nil
      else { return nil }
    }
    guard Set(names.values).count == names.count else { return nil }
  }

  /// What `plistClasses` holds.
  init?(_ attribute: AttributeValue?) {
    guard case .propertyList(let bytes) = attribute, let list = SecretContent.list(bytes),
      let value = try? list.value()
    else { return nil }
    self.init(value)
  }

  var attribute: AttributeValue? {
    let entries = names.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map {
      PropertyListValue.Entry(
        String(decoding: $0.key, as: UTF8.self), .string(String(decoding: $0.value, as: UTF8.self)))
    }
    return (try? PropertyListValue.dictionary(entries).binary()).map { .propertyList($0) }
  }

  /// Old names by new ones.
  var inverted: ArchivedClassNames? {
    var inverted = ArchivedClassNames()
    for (old, new) in names {
      guard inverted.names.updateValue(old, forKey: new) == nil else { return nil }
    }
    return inverted
  }

  /// The archive with the classes renamed, in `$classname` and `$classes`; nil where `bytes` are no archive, or one without
  /// any of them.
  func renamed(_ bytes: [UInt8]) -> [UInt8]? {
    guard let document = SecretContent.list(bytes), KeyedArchive.isArchive(document),
      document.format != .typedStream,
      let objects = document.value(for: "$objects", in: document.root)
    else { return nil }
    var places: [PropertyListDocument.Place: PropertyListValue] = [:]
    func look(_ container: PropertyListNode, _ position: Int, _ node: PropertyListNode) {
      guard let name = document.string(of: node), let new = names[Array(name.utf8)] else { return }
      places[.init(container: container, position: position)] = .string(
        String(decoding: new, as: UTF8.self))
    }
    for object in document.children(of: objects) {
      for (position, key) in document.keys(of: object).enumerated() {
        let value = document.values(of: object)[position]
        if document.text(of: key, equals: "$classname") { look(object, position, value) }
        if document.text(of: key, equals: "$classes") {
          for (position, name) in document.children(of: value).enumerated() {
            look(value, position, name)
          }
        }
      }
    }
    guard !places.isEmpty else { return nil }
    return try? document.bytes(replacing: [:], at: places)
  }

  /// The value with its classes renamed, where that can be undone to the byte.
  func rename(_ value: ListValue) -> ListValue? {
    guard value.encoding == nil, value.type == "data", let bytes = renamed(value.bytes) else {
      return nil
    }
    var changed = value
    changed.bytes = bytes
    changed.encoding = .classes
    changed.classNames = self
    return (try? changed.original()) == value.bytes ? changed : nil
  }
}
