// Archives of objects that are described: classes and fields as data, as a reader finds them. With it an archive can be
// made of any graph, without the classes that it is about.

/// Builds a keyed archive of described objects, which can share others and contain themselves.
///
///     var builder = KeyedArchiveBuilder()
///     let person = builder.add(ArchivedClass(name: "App.Person", chain: ["App.Person", "NSObject"]))
///     builder.setFields([.init("name", .value(.string("Ann"))), .init("self", .object(person))], of: person)
///     let file = try builder.archive(top: [.init("root", .object(person))])
public struct KeyedArchiveBuilder: Sendable {
  /// An object of this builder.
  public struct Object: Hashable, Sendable {
    let index: Int
  }

  /// What a field holds.
  public enum Content: Hashable, Sendable {
    /// Nil.
    case null
    /// An object.
    case object(Object)
    /// A plain value as an object, or several, as `PropertyListValue.keyedArchive` has them. Equal strings, numbers, data, dates,
    /// UUIDs and URLs are one object in the archive; each collection is its own.
    case value(PropertyListValue)
    /// A value in place of a reference, as numbers, booleans and bytes are encoded that are no objects. It can be any
    /// value of a list, which is not looked into.
    case inline(PropertyListValue)
    /// A list of references in place, as `NS.objects` of an array has it: of these, `inline` and `list` cannot be elements.
    case list([Content])
  }

  /// A field of an object, or a key of `$top`.
  public struct Field: Hashable, Sendable {
    /// As it is in the archive.
    let name: String
    let content: Content

    /// A field with a name; one that begins with `$` gets one more, as the archiver does.
    public init(_ name: String, _ content: Content) {
      self.name = name.utf8.first == UInt8(ascii: "$") ? "$" + name : name
      self.content = content
    }

    /// The value number `position`, from 0, of those that are encoded without a name.
    public init(unkeyed position: Int, _ content: Content) {
      name = "$\(position)"
      self.content = content
    }
  }

  /// `$archiver`: the class that archives.
  public var archiver = "NSKeyedArchiver"
  private let options: KeyedArchive.WritingOptions
  private var objects: [DescribedObject] = []

  /// A builder; the options are for plain values.
  public init(options: KeyedArchive.WritingOptions = KeyedArchive.WritingOptions()) {
    self.options = options
  }

  /// A new object of a class, without fields.
  public mutating func add(_ archivedClass: ArchivedClass) -> Object {
    objects.append(DescribedObject(archivedClass: archivedClass))
    return Object(index: objects.count - 1)
  }

  /// Gives an object of this builder its fields, in the order in which its class encodes them.
  public mutating func setFields(_ fields: [Field], of object: Object) {
    objects[object.index].fields = fields
  }

  /// The archive, in a binary list. Objects that nothing leads to from `top` are not in it.
  ///
  /// Throws `notRepresentable` for values that archives cannot hold, and for a list or a value in place where an object has to be;
  /// `nestingTooDeep` for more than 512 objects in each other, as they are met from `top`.
  public func archive(top: [Field]) throws(KeyedArchiveError) -> [UInt8] {
    var encoder = ArchiveEncoder(options: options, described: objects)
    var contents: [EncodedObject.Content] = []
    for field in top { contents.append(try encoder.content(field.content, depth: 0)) }
    let names = top.map(\.name)
    return try encoder.file(
      archiver: archiver,
      top: CoreFoundationHashTable.order(of: names).map { (names[$0], contents[$0]) })
  }
}

struct DescribedObject {
  let archivedClass: ArchivedClass
  var fields: [KeyedArchiveBuilder.Field] = []
}
