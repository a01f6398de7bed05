// What a person says about keys that the words don't tell, or tell wrongly (Spec/item-model.md, "Rules"): which to
// take, as what, and which to leave behind.

package import KeychainModel
package import PropertyListCodec

/// Rules in their order: the first that matches a key decides about it.
package struct MigrationRules: Sendable {
  /// Whether keys that look secret are taken where no rule matches.
  package var isAutomatic = true
  package private(set) var rules: [MigrationRule] = []

  /// No rules: what looks secret is taken.
  package init() {}
}

/// What is done with the keys that a pattern matches.
package struct MigrationRule: Sendable {
  /// How a value is stored, other than as it stands in the list.
  package enum Decoding: String, Sendable, CaseIterable {
    /// Data that is text, as data.
    case utf8
    /// Text in Base64, as the bytes that it says.
    case base64
    /// Text in hexadecimal, likewise.
    case hex
    /// A keyed archive, as the plain value that was archived.
    case archive
  }

  /// From 1.
  package let number: Int
  /// Whose lists it is about; nil for all.
  let domain: DomainPattern?
  let key: KeyPattern
  package let itemClass: ItemClass
  let attributes: [(key: AttributeKey, value: RuleText)]
  let decoding: Decoding?
  /// What classes of archives are called in the item's value.
  let classNames: ArchivedClassNames
  /// Whether the key is neither taken nor kept in the redacted copy.
  package let drops: Bool
}

/// Why a file of rules is refused.
package struct MigrationRuleError: Error, Hashable, Sendable {
  /// The member that is wrong, for example `rules[2].class`.
  package let place: String
  package let reason: String
}

extension MigrationRules {
  /// The rules that a property list or JSON says.
  package init(_ value: PropertyListValue) throws(MigrationRuleError) {
    let file = try RuleMembers(value, at: "", ["version", "automatic", "rules"])
    switch file["version"] {
    case .integer(1): break
    case nil: throw file.error("version", "is missing")
    default: throw file.error("version", "is not 1, the only version there is")
    }
    isAutomatic = try file.boolean("automatic") ?? true
    switch file["rules"] {
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        rules.append(try MigrationRule(element, index: index))
      }
    case nil: throw file.error("rules", "is missing")
    default: throw file.error("rules", "is no array")
    }
  }
}

extension MigrationRule {
  private static let members = [
    "domain", "key", "class", "attributes", "decode", "classes", "drop",
  ]

  fileprivate init(_ value: PropertyListValue, index: Int) throws(MigrationRuleError) {
    let rule = try RuleMembers(value, at: "rules[\(index)]", Self.members)
    number = index + 1
    domain = try rule.text("domain").map { DomainPattern($0) }
    guard let text = try rule.text("key") else { throw rule.error("key", "is missing") }
    guard let pattern = KeyPattern(text) else {
      throw rule.error("key", "is no pattern of key paths")
    }
    key = pattern
    switch try rule.text("class") {
    case nil, "genp": itemClass = .genericPassword
    case "inet": itemClass = .internetPassword
    default: throw rule.error("class", "is neither genp nor inet")
    }
    decoding = try rule.text("decode").map { (name) throws(MigrationRuleError) in
      guard let decoding = Decoding(rawValue: name) else {
        throw rule.error("decode", "is none of utf8, base64, hex and archive")
      }
      return decoding
    }
    if let value = rule["classes"] {
      guard let names = ArchivedClassNames(value), !names.isEmpty else {
        throw rule.error("classes", "is no dictionary of texts, or gives one name to two classes")
      }
      guard decoding == nil else { throw rule.error("classes", "does not go with 'decode'") }
      classNames = names
    } else {
      classNames = ArchivedClassNames()
    }
    drops = try rule.boolean("drop") ?? false
    attributes = try Self.attributes(rule)
    if drops, ["class", "attributes", "decode", "classes"].contains(where: { rule[$0] != nil }) {
      throw rule.error("drop", "goes with 'domain' and 'key' only")
    }
  }

  private static func attributes(
    _ rule: RuleMembers
  ) throws(MigrationRuleError) -> [(key: AttributeKey, value: RuleText)] {
    guard let value = rule["attributes"] else { return [] }
    guard case .dictionary(let entries) = value else {
      throw rule.error("attributes", "is no dictionary")
    }
    var attributes: [(key: AttributeKey, value: RuleText)] = []
    for entry in entries {
      guard case .string(let name) = entry.key else {
        throw rule.error("attributes", "has a key that is no text")
      }
      let place = "attributes." + name
      let key = AttributeKey(named: name)
      guard key != .itemClass, !key.column.utf8.starts(with: "plist".utf8),
        (1...255).contains(name.utf8.count)
      else { throw rule.error(place, "can't be set by a rule") }
      guard !attributes.contains(where: { $0.key == key }) else {
        throw rule.error(place, "is there twice")
      }
      guard let text = RuleText(entry.value) else {
        throw rule.error(place, "is no value of an attribute, or has braces that are not closed")
      }
      attributes.append((key, text))
    }
    return attributes
  }
}

/// Members of a dictionary of the rules' file, all of them known.
private struct RuleMembers {
  private let place: String
  private let entries: [PropertyListValue.Entry]

  init(
    _ value: PropertyListValue, at place: String, _ known: [String]
  ) throws(MigrationRuleError) {
    self.place = place
    guard case .dictionary(let entries) = value else {
      throw MigrationRuleError(
        place: place.isEmpty ? "the file" : place, reason: "is no dictionary")
    }
    self.entries = entries
    var seen: [String] = []
    for entry in entries {
      guard case .string(let name) = entry.key else {
        throw MigrationRuleError(
          place: place.isEmpty ? "the file" : place, reason: "has a key that is no text")
      }
      guard known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
        throw error(name, "is not known")
      }
      guard !seen.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
        throw error(name, "is there twice")
      }
      seen.append(name)
    }
  }

  subscript(name: String) -> PropertyListValue? {
    entries.first { $0.key == .string(name) }?.value
  }

  func error(_ member: String, _ reason: String) -> MigrationRuleError {
    MigrationRuleError(place: place.isEmpty ? member : place + "." + member, reason: reason)
  }

  func text(_ name: String) throws(MigrationRuleError) -> String? {
    guard let value = self[name] else { return nil }
    guard case .string(let text) = value else { throw error(name, "is no text") }
    return text
  }

  func boolean(_ name: String) throws(MigrationRuleError) -> Bool? {
    guard let value = self[name] else { return nil }
    guard case .boolean(let boolean) = value else { throw error(name, "is neither true nor false") }
    return boolean
  }
}

/// A pattern of domains: `*` is any text, `?` any byte.
struct DomainPattern: Sendable {
  private let pattern: [UInt8]

  init(_ text: String) { pattern = Array(text.utf8) }

  func matches(_ domain: String) -> Bool {
    let text = Array(domain.utf8)
    var (position, next) = (0, 0)
    // The last star, and where the text stood at it: one of them is enough to come back to.
    var star: (pattern: Int, text: Int)?
    while position < text.count {
      if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
        star = (next, position)
        next += 1
      } else if next < pattern.count,
        pattern[next] == UInt8(ascii: "?") || pattern[next] == text[position]
      {
        next += 1
        position += 1
      } else if let last = star {
        star = (last.pattern, last.text + 1)
        next = last.pattern + 1
        position = last.text + 1
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
