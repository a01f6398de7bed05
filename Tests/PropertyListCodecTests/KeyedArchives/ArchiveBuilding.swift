// Archives put together object by object, so that tests can make what no archiver makes.

import PropertyListCodec

extension PropertyListValue {
  /// An object with fields; the class is the last one.
  static func object(
    _ fields: KeyValuePairs<String, PropertyListValue>, class number: UInt128
  ) -> PropertyListValue {
    .dictionary(fields.map { Entry($0.key, $0.value) } + [Entry("$class", .uid(number))])
  }

  static func classDescription(_ chain: [String], hints: [String] = []) -> PropertyListValue {
    var entries = [
      Entry("$classname", .string(chain[0])), Entry("$classes", .array(chain.map { .string($0) })),
    ]
    if !hints.isEmpty { entries.append(Entry("$classhints", .array(hints.map { .string($0) }))) }
    return .dictionary(entries)
  }
}

/// An archive with these objects after `$null`; `root` is object 1.
func archive(
  _ objects: [PropertyListValue],
  top: KeyValuePairs<String, PropertyListValue> = ["root": .uid(1)],
  options: KeyedArchive.Options = KeyedArchive.Options()
) throws -> KeyedArchive {
  let list = PropertyListValue.dictionary([
    .init("$version", .integer(100_000)), .init("$archiver", .string("NSKeyedArchiver")),
    .init("$top", .dictionary(top.map { .init($0.key, $0.value) })),
    .init("$objects", .array([.string("$null")] + objects)),
  ])
  return try KeyedArchive(PropertyListDocument(list.binary()), options: options)
}

/// An archive of one object, of a class with this chain; other objects have the numbers from 3 on.
func archive(
  of chain: [String], _ fields: KeyValuePairs<String, PropertyListValue>,
  others: [PropertyListValue] = []
) throws -> KeyedArchive {
  try archive([.object(fields, class: 2), .classDescription(chain)] + others)
}

extension KeyedArchive {
  var root: Reference { top[0].value }
}
