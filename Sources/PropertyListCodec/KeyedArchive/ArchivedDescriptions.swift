// Values that are neither scalars nor collections: each class's fields as parts with plain names, and a line that
// a person can read. Fields that a class is not known to have follow as parts with their own names.

extension KeyedArchive {
  /// The description of an object of a known class. Nil when its fields are not those of the class.
  func description(of object: Object, _ known: KnownClass) -> ArchivedDescription? {
    var builder = DescriptionBuilder(fields: ArchivedFields(self, object))
    guard let (type, text) = builder.build(known) else { return nil }
    return ArchivedDescription(type: type, text: text, parts: builder.parts + builder.rest)
  }
}

/// Takes an object's fields and makes parts of them. Each method gives the type and the line, or nil when the
/// fields are not those of the class.
struct DescriptionBuilder {
  typealias Result = (type: String, text: String)

  var fields: ArchivedFields
  var parts: [ArchivedDescription.Part] = []

  init(fields: ArchivedFields) { self.fields = fields }

  mutating func build(_ known: KnownClass) -> Result? {
    switch known {
    case .decimalNumber: return decimalNumber()
    case .value: return value()
    case .indexSet: return indexSet()
    case .indexPath: return indexPath()
    case .locale: return locale()
    case .timeZone: return timeZone()
    case .calendar: return calendar()
    case .dateComponents: return dateComponents()
    case .dateInterval: return dateInterval()
    case .personNameComponents: return personNameComponents()
    case .notification: return notification()
    case .error: return error()
    case .regularExpression: return regularExpression()
    case .measurement: return measurement()
    case .unit: return unit()
    case .color: return color()
    case .colorSpace: return colorSpace()
    case .font: return font()
    case .fontDescriptor: return fontDescriptor()
    case .affineTransform: return affineTransform()
    case .image: return image()
    case .bitmapImage: return bitmapImage()
    case .cursor: return cursor()
    case .comparisonPredicate: return comparisonPredicate()
    case .compoundPredicate: return compoundPredicate()
    case .keyPathExpression: return keyPathExpression()
    case .constantExpression: return constantExpression()
    case .selfExpression: return selfExpression()
    case .cString: return streamText("C string")
    case .selector: return streamText("selector")
    case .atom: return streamText("atom")
    case .classReference: return classReference()
    case .string, .data, .date, .number, .null, .uuid, .array, .set, .orderedSet, .countedSet,
      .dictionary, .url, .attributedString:
      return nil
    }
  }

  /// The fields that are no parts yet, by the archive's names.
  var rest: [ArchivedDescription.Part] {
    fields.rest.map { field in
      if let value = fields.archive.scalar(field.value) {
        return ArchivedDescription.Part(field.name, value)
      }
      return ArchivedDescription.Part(field.name, .reference(field.value))
    }
  }

  // MARK: Adding parts

  mutating func add(_ name: String, _ value: PropertyListValue) {
    parts.append(ArchivedDescription.Part(name, value))
  }

  /// Takes a field and makes a part of it: its value, where that has no objects in it, or else a reference.
  /// Nothing when it is not there.
  @discardableResult
  mutating func add(_ name: String, field: String) -> PropertyListValue? {
    guard let node = fields.take(field) else { return nil }
    if let value = fields.archive.scalar(node) {
      add(name, value)
      return value
    }
    parts.append(ArchivedDescription.Part(name, .reference(fields.archive.reference(node))))
    return nil
  }

  mutating func addString(_ name: String, field: String) -> String? {
    guard case .string(let text)? = add(name, field: field) else { return nil }
    return text
  }

  mutating func addInteger(_ name: String, field: String) -> Int128? {
    guard case .integer(let value)? = add(name, field: field) else { return nil }
    return value
  }

  mutating func addNumber(_ name: String, field: String) -> Double? {
    add(name, field: field)?.number
  }

  /// A number as people write it: integral ones without a fraction.
  static func text(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> String {
    Int64(exactly: value)?.description ?? value.description
  }

  static func text(_ values: [Double]) -> String {
    values.map { text($0) }.joined(separator: ", ")
  }
}

extension KeyedArchive {
  /// The value without objects in it that a reference stands for. Nil for others.
  func scalar(_ reference: Reference) -> PropertyListValue? {
    switch reference {
    case .null: return nil
    case .inline(let node): return scalar(node)
    case .object(let object):
      if let entry = classEntry(of: object) {
        guard let known = entry.known, entry.isAllowed else { return nil }
        return scalar(object, known)
      }
      return leaf(node(of: object))
    }
  }
}
