// The attribute list of an ITEM frame: items to bytes and back.
//
// Keys in strictly rising order of their bytes, at most 1024, each as u8 key length, key, u8 type,
// u32 length (little-endian), bytes; `clas` among them holds the class as text.

internal import ByteCoding

/// How many attributes an item may have in an archive, its class counted.
let maximumAttributeCount = 1024

extension KeychainItem {
  /// Appends the attribute list to `target`. On an error `target` is as it was.
  ///
  /// - Throws: `tooManyAttributes`, `keyLength`, `valueLength` or `reservedType` when the format
  ///   can't hold the item.
  public func encodedAttributes(into target: inout [UInt8]) throws(ModelError) {
    let classKey = AttributeKey.itemClass
    let classCount = itemClass.name.byteCount
    let byteCount = try encodedByteCount()
    let firstBehindClass = attributes.span.firstIndex(notBelow: classKey)
    target.append(atMost: byteCount) { output in
      let attributes = attributes.span
      for index in 0..<firstBehindClass {
        output.append(key: attributes[index].key, attributes[index].value)
      }
      output.append(key: classKey)
      output.append(type: 1, byteCount: classCount)
      output.append(itemClass.name)
      for index in firstBehindClass..<attributes.count {
        output.append(key: attributes[index].key, attributes[index].value)
      }
    }
  }

  /// The length of the encoded list, once it is known that the format can hold it.
  private func encodedByteCount() throws(ModelError) -> Int {
    guard attributes.count < maximumAttributeCount else {
      throw ModelError(
        .tooManyAttributes, "an item has at most \(maximumAttributeCount) attributes")
    }
    var total = AttributeKey.itemClass.packed.byteCount + itemClass.name.byteCount + 6
    let attributes = attributes.span
    for index in attributes.indices {
      let keyCount = attributes[index].key.packed.byteCount
      let valueCount = attributes[index].value.byteCount
      guard (1...255).contains(keyCount) else {
        throw ModelError(
          .keyLength, attribute: attributes[index].key.column, "a key has 1 to 255 bytes of UTF-8")
      }
      guard valueCount <= UInt32.max else {
        throw ModelError(
          .valueLength, attribute: attributes[index].key.column, "a value has less than 4 GiB")
      }
      if case .unknown(1...7, _) = attributes[index].value {
        throw ModelError(
          .reservedType, attribute: attributes[index].key.column,
          "its type's number is a known type's")
      }
      total += keyCount + 6 + valueCount
    }
    return total
  }
}

extension OutputBytes {
  @inline(__always)
  fileprivate mutating func append(key: borrowing AttributeKey, _ value: borrowing AttributeValue) {
    append(key: key)
    append(type: value.type, byteCount: value.byteCount)
    append(value)
  }

  @inline(__always)
  fileprivate mutating func append(key: borrowing AttributeKey) {
    append(UInt8(truncatingIfNeeded: key.packed.byteCount))
    append(key.packed)
  }
}

extension KeychainItem {
  /// The item whose attribute list is exactly `bytes`.
  ///
  /// - Throws: `truncated`, `keyLength`, `keyOrder`, `invalidUTF8`, `payload`, `tooManyAttributes`
  ///   or `missingClass`, with the offset of the attribute that is wrong.
  public init(encodedAttributes bytes: RawSpan) throws(ModelError) {
    let classKey = AttributeKey.itemClass
    var reader = AttributeReader(bytes)
    var attributes: [Attribute] = []
    attributes.reserveCapacity(16)
    var itemClass: ItemClass?
    var last: AttributeKey?
    var count = 0
    while try reader.begin() {
      let key = try reader.key()
      if let last, key <= last {
        throw reader.error(.keyOrder, "its key is not above the one before it")
      }
      guard count < maximumAttributeCount else {
        throw reader.error(.tooManyAttributes, "more than \(maximumAttributeCount) attributes")
      }
      if key == classKey {
        itemClass = try reader.itemClass()
      } else {
        attributes.append(Attribute(key, try reader.value()))
      }
      last = key
      count += 1
    }
    guard let itemClass else {
      throw ModelError(
        .missingClass, at: bytes.byteCount, attribute: "clas", "the list does not name a class")
    }
    self.init(itemClass: itemClass, sorted: attributes)
  }
}

/// A cursor over an attribute list. `begin` checks that all lengths of an attribute lie inside the
/// list; only then are its parts read.
private struct AttributeReader: ~Escapable {
  private let bytes: RawSpan
  /// Where the attribute being read begins.
  private var start = 0
  private var keyRange = 0..<0
  private var valueRange = 0..<0

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) {
    self.bytes = bytes
  }

  func error(_ code: ModelError.Code, _ reason: String) -> ModelError {
    let key = keyRange.isEmpty ? nil : ByteName.decode(bytes, keyRange)
    return ModelError(code, at: start, attribute: key?.text, reason)
  }

  /// Goes to the next attribute; false at the end of the list.
  @inline(__always)
  mutating func begin() throws(ModelError) -> Bool {
    start = valueRange.upperBound
    keyRange = start..<start
    let remaining = bytes.byteCount - start
    guard remaining > 0 else { return false }
    let keyCount = Int(bytes.u8(at: start))
    guard keyCount > 0 else { throw error(.keyLength, "a key of no byte") }
    guard keyCount + 6 <= remaining else {
      throw error(.truncated, "the list ends inside an attribute's key, type or length")
    }
    keyRange = start + 1..<start + 1 + keyCount
    let valueCount = Int(bytes.u32(at: keyRange.upperBound + 1))
    guard valueCount <= remaining - keyCount - 6 else {
      throw error(.truncated, "its value ends beyond the list")
    }
    let valueStart = keyRange.upperBound + 5
    valueRange = valueStart..<valueStart + valueCount
    return true
  }

  @inline(__always)
  func key() throws(ModelError) -> AttributeKey {
    guard let name = ByteName.decode(bytes, keyRange) else {
      throw error(.invalidUTF8, "a key that is no UTF-8")
    }
    return AttributeKey(packed: name)
  }

  @inline(__always)
  private var type: UInt8 { bytes.u8(at: keyRange.upperBound) }

  @inline(__always)
  func value() throws(ModelError) -> AttributeValue {
    switch type {
    case 1:
      guard let text = String(utf8: bytes.extracting(valueRange)) else {
        throw error(.invalidUTF8, "a text that is no UTF-8")
      }
      return .text(text)
    case 2: return .bytes(valueBytes)
    case 3: return .integer(Int64(bitPattern: try eightBytes()))
    case 4: return .date(Float64(bitPattern: try eightBytes()))
    case 5:
      guard valueRange.count == 1, bytes.u8(at: valueRange.lowerBound) <= 1 else {
        throw error(.payload, "a boolean is one byte, 0 or 1")
      }
      return .boolean(bytes.u8(at: valueRange.lowerBound) == 1)
    case 6: return .real(Float64(bitPattern: try eightBytes()))
    case 7: return .propertyList(valueBytes)
    default: return .unknown(type: type, bytes: valueBytes)
    }
  }

  private var valueBytes: [UInt8] {
    bytes.array(at: valueRange.lowerBound, count: valueRange.count)
  }

  private func eightBytes() throws(ModelError) -> UInt64 {
    guard valueRange.count == 8 else {
      throw error(.payload, "a number or date is eight bytes")
    }
    return bytes.u64(at: valueRange.lowerBound)
  }

  func itemClass() throws(ModelError) -> ItemClass {
    guard type == 1 else { throw error(.missingClass, "the class is no text") }
    guard let name = ByteName.decode(bytes, valueRange) else {
      throw error(.invalidUTF8, "a class that is no UTF-8")
    }
    return ItemClass(name: name)
  }
}
