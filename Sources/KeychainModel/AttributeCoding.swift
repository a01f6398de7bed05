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
    let firstBehindClass = attributes.firstIndex(notBelow: classKey)
    target.append(addingCapacity: byteCount) { output in
      for index in 0..<firstBehindClass { output.append(attributes[index]) }
      output.appendHead(of: classKey, type: 1, valueByteCount: classCount)
      output.append(itemClass.name)
      for index in firstBehindClass..<attributes.count { output.append(attributes[index]) }
    }
  }

  /// The length of the encoded list, once it is known that the format can hold it.
  private func encodedByteCount() throws(ModelError) -> Int {
    guard attributes.count < maximumAttributeCount else {
      throw ModelError(
        .tooManyAttributes, "an item has at most \(maximumAttributeCount) attributes")
    }
    var total = AttributeKey.itemClass.packed.byteCount + itemClass.name.byteCount + 6
    for attribute in attributes {
      let keyCount = attribute.key.packed.byteCount
      guard (1...255).contains(keyCount) else {
        throw ModelError(
          .keyLength, attribute: attribute.key.column, "a key has 1 to 255 bytes of UTF-8")
      }
      if case .unknown(1...7, _) = attribute.value {
        throw ModelError(
          .reservedType, attribute: attribute.key.column, "its type's number is a known type's")
      }
      let valueCount = attribute.value.form(.own).byteCount
      guard valueCount <= UInt32.max else {
        throw ModelError(
          .valueLength, attribute: attribute.key.column, "a value has less than 4 GiB")
      }
      total += keyCount + 6 + valueCount
    }
    return total
  }
}

extension OutputSpan<UInt8> {
  fileprivate mutating func append(_ attribute: Attribute) {
    let form = attribute.value.form(.own)
    appendHead(of: attribute.key, type: form.type, valueByteCount: form.byteCount)
    if let bits = form.bits {
      append(littleEndian: bits, count: form.byteCount)
    } else {
      appendOwnBytes(of: attribute.value)
    }
  }

  /// Appends all but the value's bytes.
  fileprivate mutating func appendHead(of key: AttributeKey, type: UInt8, valueByteCount: Int) {
    append(UInt8(truncatingIfNeeded: key.packed.byteCount))
    append(key.packed)
    append(type)
    append(littleEndian: UInt64(valueByteCount), count: 4)
  }
}

extension KeychainItem {
  /// The item whose attribute list is exactly `bytes`.
  ///
  /// - Throws: `truncated`, `keyLength`, `keyOrder`, `invalidUTF8`, `payload`, `tooManyAttributes`
  ///   or `missingClass`, with the offset of the attribute that is wrong.
  public init(encodedAttributes bytes: RawSpan) throws(ModelError) {
    var reader = AttributeReader(bytes)
    var attributes: [Attribute] = []
    attributes.reserveCapacity(16)
    var itemClass: ItemClass?
    var last: AttributeKey?
    var count = 0
    while let key = try reader.nextKey() {
      guard count < maximumAttributeCount else {
        throw reader.error(.tooManyAttributes, "more than \(maximumAttributeCount) attributes")
      }
      if let last, key <= last {
        throw reader.error(.keyOrder, "its key is not above the one before it")
      }
      if key == .itemClass {
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

/// A cursor over an attribute list. Each step checks what it reads against what remains.
private struct AttributeReader: ~Escapable {
  let bytes: RawSpan
  private var offset = 0
  /// Where the attribute being read begins, and its key, for errors.
  private var start = 0
  private var key: AttributeKey?

  @_lifetime(copy bytes)
  init(_ bytes: RawSpan) {
    self.bytes = bytes
  }

  func error(_ code: ModelError.Code, _ reason: String) -> ModelError {
    ModelError(code, at: start, attribute: key?.column, reason)
  }

  /// The next attribute's key, or nil at the end of the list.
  mutating func nextKey() throws(ModelError) -> AttributeKey? {
    start = offset
    key = nil
    guard offset < bytes.byteCount else { return nil }
    let count = Int(bytes.u8(at: offset))
    guard count > 0 else { throw error(.keyLength, "a key of no byte") }
    // Key, type and length, none of them beyond the end.
    guard count + 5 <= bytes.byteCount - offset - 1 else {
      throw error(.truncated, "the list ends inside an attribute's key, type or length")
    }
    guard let name = ByteName.decode(bytes, offset + 1..<offset + 1 + count) else {
      throw error(.invalidUTF8, "a key that is no UTF-8")
    }
    offset += 1 + count
    let found = AttributeKey(packed: name)
    key = found
    return found
  }

  /// The type of the attribute whose key was read last, and where its bytes are.
  private mutating func typeAndRange() throws(ModelError) -> (UInt8, Range<Int>) {
    let type = bytes.u8(at: offset)
    let count = Int(bytes.u32(at: offset + 1))
    let begin = offset + 5
    guard count <= bytes.byteCount - begin else {
      throw error(.truncated, "its value ends beyond the list")
    }
    offset = begin + count
    return (type, begin..<begin + count)
  }

  mutating func value() throws(ModelError) -> AttributeValue {
    let (type, range) = try typeAndRange()
    switch type {
    case 1:
      guard let text = String(utf8: bytes.extracting(range)) else {
        throw error(.invalidUTF8, "a text that is no UTF-8")
      }
      return .text(text)
    case 2: return .bytes(bytes.array(at: range.lowerBound, count: range.count))
    case 3: return .integer(Int64(bitPattern: try eightBytes(range)))
    case 4: return .date(Float64(bitPattern: try eightBytes(range)))
    case 5:
      guard range.count == 1, bytes.u8(at: range.lowerBound) <= 1 else {
        throw error(.payload, "a boolean is one byte, 0 or 1")
      }
      return .boolean(bytes.u8(at: range.lowerBound) == 1)
    case 6: return .real(Float64(bitPattern: try eightBytes(range)))
    case 7: return .propertyList(bytes.array(at: range.lowerBound, count: range.count))
    default:
      return .unknown(
        type: type, bytes: bytes.array(at: range.lowerBound, count: range.count))
    }
  }

  private func eightBytes(_ range: Range<Int>) throws(ModelError) -> UInt64 {
    guard range.count == 8 else { throw error(.payload, "a number or date is eight bytes") }
    return bytes.u64(at: range.lowerBound)
  }

  mutating func itemClass() throws(ModelError) -> ItemClass {
    let (type, range) = try typeAndRange()
    guard type == 1 else { throw error(.missingClass, "the class is no text") }
    guard let name = ByteName.decode(bytes, range) else {
      throw error(.invalidUTF8, "a class that is no UTF-8")
    }
    return ItemClass(name: name)
  }
}
