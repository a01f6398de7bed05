// The value of an object: collections here, scalars by ArchivedFields, the rest by ArchivedDescriptions. A
// decoder that does not find what its class has leaves the object a record, with all its fields.

extension KeyedArchive {
  /// What a reference stands for, one level deep.
  ///
  /// Throws `danglingReference` for a UID that leads to no object, and `classNotAllowed` for an object or a
  /// container whose class the options do not allow.
  public func value(of reference: Reference) throws(KeyedArchiveError) -> ArchivedValue {
    switch reference {
    case .null: return .null
    case .inline(let node): return try inlineValue(node)
    case .object(let object):
      guard let entry = classEntry(of: object) else { return try inlineValue(node(of: object)) }
      guard entry.isAllowed else {
        throw error(.classNotAllowed, object, "an object of a class that is not allowed")
      }
      if let known = entry.known, let value = value(of: object, known) { return value }
      return .record(entry.archived, fields(of: object))
    }
  }

  private func inlineValue(_ node: PropertyListNode) throws(KeyedArchiveError) -> ArchivedValue {
    if let allowed = options.allowedClasses, let name = Self.className(document.kind(of: node)),
      !ArchivedClass(name: name, chain: ["NSObject"]).isKind(ofAny: allowed)
    {
      throw KeyedArchiveError(
        .classNotAllowed, offset: document.range(of: node).lowerBound,
        reason: "a container whose class is not allowed")
    }
    switch document.kind(of: node) {
    case .array: return .array(references(node))
    case .set: return .set(references(node))
    case .orderedSet: return .orderedSet(references(node))
    case .dictionary:
      return .dictionary(
        zip(document.keys(of: node), document.values(of: node)).map {
          (key: self.reference($0), value: self.reference($1))
        })
    case .string where document.text(of: node, equals: "$null"): return .null
    case .uid:
      throw KeyedArchiveError(
        .danglingReference, offset: document.range(of: node).lowerBound,
        reason: "a reference to an object that the archive does not have")
    default: return .scalar(document.scalar(node))
    }
  }

  /// The class that a container without one is of. Nil for other values.
  private static func className(_ kind: PropertyListNode.Kind) -> String? {
    switch kind {
    case .array: "NSArray"
    case .set: "NSSet"
    case .orderedSet: "NSOrderedSet"
    case .dictionary: "NSDictionary"
    default: nil
    }
  }

  func references(_ node: PropertyListNode) -> [Reference] {
    document.children(of: node).map { reference($0) }
  }

  /// The value of an object of a known class. Nil when its fields are not those of the class.
  private func value(of object: Object, _ known: KnownClass) -> ArchivedValue? {
    switch known {
    case .string, .data, .date, .number, .null, .uuid:
      return scalar(object, known).map { .scalar($0) }
    case .array: return elements(object).map { .array($0) }
    case .set: return elements(object).map { .set($0) }
    case .orderedSet: return elements(object).map { .orderedSet($0) }
    case .countedSet: return countedSet(object)
    case .dictionary:
      guard let (keys, values) = entries(object) else { return nil }
      return .dictionary(zip(keys, values).map { (key: $0, value: $1) })
    case .url: return url(object)
    case .attributedString: return attributedString(object)
    default: return description(of: object, known).map { .described($0) }
    }
  }

  // MARK: Collections

  /// The elements of an array or a set: one array of references, or one field for each.
  private func elements(_ object: Object) -> [Reference]? {
    var fields = ArchivedFields(self, object)
    if let list = fields.take("NS.objects") {
      guard document.kind(of: list) == .array, fields.isComplete else { return nil }
      return references(list)
    }
    return numbered(object, ["NS.object."]).map { $0[0] }
  }

  private func entries(_ object: Object) -> (keys: [Reference], values: [Reference])? {
    var fields = ArchivedFields(self, object)
    if let keys = fields.take("NS.keys"), let values = fields.take("NS.objects") {
      guard document.kind(of: keys) == .array, document.kind(of: values) == .array,
        document.children(of: keys).count == document.children(of: values).count, fields.isComplete
      else { return nil }
      return (references(keys), references(values))
    }
    return numbered(object, ["NS.key.", "NS.object."]).map { ($0[0], $0[1]) }
  }

  private func countedSet(_ object: Object) -> ArchivedValue? {
    guard let series = numbered(object, ["NS.object", "NS.count"], countField: "NS.count") else {
      return nil
    }
    var elements: [(element: Reference, count: Int)] = []
    for (element, count) in zip(series[0], series[1]) {
      guard let count = integer(count), count >= 0 else { return nil }
      elements.append((element, count))
    }
    return .countedSet(elements)
  }

  private func integer(_ reference: Reference) -> Int? {
    let node: PropertyListNode? =
      switch reference {
      case .null: nil
      case .inline(let node): node
      case .object(let object): self.node(of: object)
      }
    return node.flatMap { document.integer(of: $0) }.flatMap { Int(exactly: $0) }
  }

  /// Fields whose names are one of `prefixes` and a number, from 0 on without a gap, as many of each: each
  /// prefix's values by number. Nil when there are others. `countField` names a field that holds how many
  /// there are.
  private func numbered(
    _ object: Object, _ prefixes: [String], countField: String? = nil
  ) -> [[Reference]]? {
    let fields = fields(of: object)
    let extra = countField == nil ? 0 : 1
    guard fields.count >= extra, (fields.count - extra) % prefixes.count == 0 else { return nil }
    let count = (fields.count - extra) / prefixes.count
    var series = Array(
      repeating: Array(repeating: Reference?.none, count: count), count: prefixes.count)
    var hasCount = countField == nil
    for field in fields {
      if let countField, field.name.utf8.elementsEqual(countField.utf8) {
        guard !hasCount, integer(field.value) == count else { return nil }
        hasCount = true
        continue
      }
      guard let (prefix, number) = Self.split(field.name, prefixes), number < count,
        series[prefix][number] == nil
      else { return nil }
      series[prefix][number] = field.value
    }
    guard hasCount else { return nil }
    // As many fields as places, none filled twice: all are filled.
    return series.map { $0.compactMap { $0 } }
  }

  private static func split(_ name: String, _ prefixes: [String]) -> (Int, Int)? {
    for (index, prefix) in prefixes.enumerated() where name.utf8.starts(with: prefix.utf8) {
      let digits = name.utf8.dropFirst(prefix.utf8.count)
      guard 1...9 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }),
        digits.count == 1 || digits.first != 0x30
      else { return nil }
      return (index, digits.reduce(0) { 10 * $0 + Int($1 - 0x30) })
    }
    return nil
  }

  // MARK: Compounds

  private func url(_ object: Object) -> ArchivedValue? {
    var fields = ArchivedFields(self, object)
    let base = fields.reference("NS.base") ?? .null
    guard let relative = fields.string("NS.relative"), fields.isComplete else { return nil }
    return .url(base: base, relative: relative)
  }

  private func attributedString(_ object: Object) -> ArchivedValue? {
    var fields = ArchivedFields(self, object)
    guard let text = fields.string("NSString") else { return nil }
    let length = text.utf16.count
    guard let attributes = fields.reference("NSAttributes") else {
      return fields.isComplete ? .attributedString(text, runs: []) : nil
    }
    guard fields.take("NSAttributeInfo") != nil else {
      guard fields.isComplete else { return nil }
      return .attributedString(
        text, runs: [ArchivedValue.AttributeRun(range: 0..<length, attributes: attributes)])
    }
    // Pairs of a run's length and the number of its attributes.
    guard
      let numbers = fields.data("NSAttributeInfo").flatMap({ VariableLengthNumbers.decode($0) }),
      numbers.count % 2 == 0, case .object(let list) = attributes,
      let entry = classEntry(of: list), entry.known == .array, entry.isAllowed,
      let dictionaries = elements(list), fields.isComplete
    else { return nil }
    var runs: [ArchivedValue.AttributeRun] = []
    var start = 0
    for pair in stride(from: 0, to: numbers.count, by: 2) {
      guard numbers[pair] <= UInt64(length - start),
        numbers[pair + 1] < UInt64(dictionaries.count)
      else { return nil }
      let end = start + Int(numbers[pair])
      runs.append(
        ArchivedValue.AttributeRun(
          range: start..<end, attributes: dictionaries[Int(numbers[pair + 1])]))
      start = end
    }
    return start == length ? .attributedString(text, runs: runs) : nil
  }
}

/// Numbers of seven bits a byte, the lowest first; the upper bit says that more bytes follow (LEB128).
enum VariableLengthNumbers {
  /// Nil when the last one is cut or one has more than 64 bits.
  static func decode(_ bytes: [UInt8]) -> [UInt64]? {
    var numbers: [UInt64] = []
    var value: UInt64 = 0
    var shift: UInt64 = 0
    for byte in bytes {
      let bits = UInt64(byte & 0x7f)
      guard shift < 64, (bits << shift) >> shift == bits else { return nil }
      value |= bits << shift
      guard byte & 0x80 == 0 else {
        shift += 7
        continue
      }
      numbers.append(value)
      (value, shift) = (0, 0)
    }
    return shift == 0 ? numbers : nil
  }

  static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest > 0x7f {
      bytes.append(0x80 | UInt8(truncatingIfNeeded: rest))
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}
