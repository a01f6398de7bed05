// A JSON text as a tree, built with the reader: what the tests compare.

import ByteCoding
import PropertyListCodec

indirect enum JSONTree: Equatable, Sendable {
  case object([Member])
  case array([JSONTree])
  case string(String)
  /// As it stands in the text.
  case number(String)
  case boolean(Bool)
  case null

  struct Member: Equatable, Sendable {
    let key: String
    let value: JSONTree
  }

  init(_ text: [UInt8]) throws(JSONError) {
    var reader = JSONReader(text.bytes)
    self = try JSONTree(&reader)
    try reader.finish()
  }

  init(_ reader: inout JSONReader) throws(JSONError) {
    switch try reader.peek() {
    case .object:
      var members: [Member] = []
      try reader.beginObject()
      while let key = try reader.nextKey() {
        members.append(Member(key: reader.string(key), value: try JSONTree(&reader)))
      }
      self = .object(members)
    case .array:
      var elements: [JSONTree] = []
      try reader.beginArray()
      while try reader.nextElement() { elements.append(try JSONTree(&reader)) }
      self = .array(elements)
    case .string: self = .string(reader.string(try reader.readString()))
    case .number:
      let bytes = reader.bytes(of: try reader.readNumber())
      self = .number(String(decoding: bytes.array(at: 0, count: bytes.byteCount), as: UTF8.self))
    case .boolean: self = .boolean(try reader.readBoolean())
    case .null:
      try reader.readNull()
      self = .null
    }
  }

  /// Writes the tree with the writer; numbers must be integers of 64 bits.
  func write(_ writer: inout JSONWriter) {
    switch self {
    case .object(let members):
      writer.beginObject()
      for member in members {
        writer.key(member.key)
        member.value.write(&writer)
      }
      writer.endObject()
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(&writer) }
      writer.endArray()
    case .string(let text): writer.string(text)
    case .number(let text): writer.value(Array(text.utf8).bytes)
    case .boolean(let value): writer.boolean(value)
    case .null: writer.null()
    }
  }
}

/// One text that has everything: every kind of value, every escape, characters of one to four bytes.
let sampleJSON = Array(
  #"""
  {"class": "genp", "é€😀": [1, -2.5e+10, 0, -0, 1E-7, 12345678901234567890],
   "escapes": "\"\\\/\b\f\n\r\t\u0000\u00e9\u20ac\ud83d\ude00\uD83D\uDE00", "": {},
   "nested": {"a": [[], [null], {"b": [true, false]}]}, "long": "abcdefghijklmnopqrstuvwxyz é€😀"}
  """#.utf8)
