// A table of what Keychain Services does, in a form of its own: the tests of the typed API and those of `Security`
// each run it. A case is a keychain that is empty at first and what is asked of it; each names its source.
//
// Sources: files of Apple's published Security project (SecDbQuery.c, SecItemDb.c, SecItemServer.c, SecItem.m,
// SecItemSchema.c), Apple's documentation of the constant, or an issue in a public repository.

/// A value of a dictionary of SecItem's.
package enum QueryValue: Sendable, Equatable {
  case text(String)
  case bytes([UInt8])
  case number(Int64)
  case boolean(Bool)
  case date(Float64)
  /// A list of bytes: `kSecMatchIssuers`.
  case list([[UInt8]])
}

extension QueryValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral
{
  package init(stringLiteral value: String) { self = .text(value) }
  package init(integerLiteral value: Int64) { self = .number(value) }
  package init(booleanLiteral value: Bool) { self = .boolean(value) }
}

/// What a dictionary that is given back has to have for a key.
package enum ExpectedValue: Sendable {
  case value(QueryValue)
  /// No value: nil.
  case absent
  case sameAs(String)
  case bytes(count: Int)

  package static func bytes(_ bytes: [UInt8]) -> ExpectedValue { .value(.bytes(bytes)) }
}

extension ExpectedValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
  package init(stringLiteral value: String) { self = .value(.text(value)) }
  package init(integerLiteral value: Int64) { self = .value(.number(value)) }
  package init(booleanLiteral value: Bool) { self = .value(.boolean(value)) }
  package init(nilLiteral: ()) { self = .absent }
}

package typealias QueryDictionary = [String: QueryValue]

/// What a step has to come to.
package enum Expectation: Sendable {
  case status(Int32)
  /// Success, and nothing given back.
  case nothing
  /// Success, and data.
  case data([UInt8])
  /// Success, and a persistent reference of 20 bytes that begins with the class.
  case reference(String)
  /// Success, and a dictionary with these values.
  case attributes([String: ExpectedValue])
  /// Success, and an array of this many.
  case count(Int)

  package static let success = Expectation.status(0)
  package static let duplicate = Expectation.status(-25299)
  package static let notFound = Expectation.status(-25300)
  package static let parameter = Expectation.status(-50)
  package static let noSuchAttribute = Expectation.status(-25303)
  package static let noSuchClass = Expectation.status(-25306)
  package static let missingEntitlement = Expectation.status(-34018)
  package static let interaction = Expectation.status(-25308)
  package static let unimplemented = Expectation.status(-4)
}

/// One call.
package struct Step: Sendable {
  package enum Operation: Sendable {
    case add
    case copy
    case update(QueryDictionary)
    case delete
  }

  package let operation: Operation
  /// `v_PersistentRef` may be the text `<last>`: the reference that was given back last.
  package let query: QueryDictionary
  package let expectation: Expectation
  /// As whom it is called; nil for who sees all groups.
  package var groups: [String]?
  /// `locked` or `beforeFirstUnlock`; nil for unlocked.
  package var lockState: String?

  package static func add(_ query: QueryDictionary, _ expectation: Expectation = .success) -> Step {
    Step(operation: .add, query: query, expectation: expectation)
  }

  package static func copy(_ query: QueryDictionary, _ expectation: Expectation) -> Step {
    Step(operation: .copy, query: query, expectation: expectation)
  }

  package static func update(
    _ query: QueryDictionary, _ changes: QueryDictionary, _ expectation: Expectation = .success
  ) -> Step {
    Step(operation: .update(changes), query: query, expectation: expectation)
  }

  package static func delete(
    _ query: QueryDictionary, _ expectation: Expectation = .success
  ) -> Step {
    Step(operation: .delete, query: query, expectation: expectation)
  }

  /// The same call of a program that is in `groups`.
  package func by(_ groups: String...) -> Step {
    var step = self
    step.groups = groups
    return step
  }

  /// The same call of a program that is in no group.
  package var byNobody: Step {
    var step = self
    step.groups = []
    return step
  }

  /// The same call on a device in `lockState`.
  package func when(_ lockState: String) -> Step {
    var step = self
    step.lockState = lockState
    return step
  }
}

package struct QueryCase: Sendable, CustomStringConvertible {
  /// A sentence.
  package let name: String
  package let source: String
  package let steps: [Step]
  /// Whether only a dictionary can say it: a key or a type that the typed API does not have.
  package let isUntyped: Bool
  /// Whether only the typed API can say it: an attribute whose column is no key of dictionaries.
  package let isTypedOnly: Bool

  package init(
    _ name: String, _ source: String, untyped: Bool = false, typedOnly: Bool = false,
    _ steps: [Step]
  ) {
    self.name = name
    self.source = source
    self.steps = steps
    isUntyped = untyped
    isTypedOnly = typedOnly
  }

  package var description: String { name }

  /// The whole table.
  package static let table: [QueryCase] =
    adding + primaryKeys + matching + returning + synchronizing + sharing + updating + deleting
    + certificates + references + protection + columns
}

// MARK: Dictionaries

/// A generic password of account `a` and service `s`, or others.
package func genp(_ more: QueryDictionary = [:]) -> QueryDictionary {
  ["class": "genp", "acct": "a", "svce": "s"].merging(more) { $1 }
}

/// An internet password of account `a` at server `h`, or others.
package func inet(_ more: QueryDictionary = [:]) -> QueryDictionary {
  ["class": "inet", "acct": "a", "srvr": "h"].merging(more) { $1 }
}

/// A private key of label `01`.
package func keys(_ more: QueryDictionary = [:]) -> QueryDictionary {
  ["class": "keys", "klbl": .bytes([1]), "kcls": "1", "type": "42"].merging(more) { $1 }
}

/// As `dictionary`, with a value to be added.
package func holding(_ text: String, _ dictionary: QueryDictionary) -> QueryDictionary {
  dictionary.merging(["v_Data": .bytes(Array(text.utf8))]) { $1 }
}

/// As `dictionary`, asking for data.
package func data(_ dictionary: QueryDictionary) -> QueryDictionary {
  dictionary.merging(["r_Data": true]) { $1 }
}

/// As `dictionary`, asking for attributes.
package func attributes(_ dictionary: QueryDictionary) -> QueryDictionary {
  dictionary.merging(["r_Attributes": true]) { $1 }
}

/// As `dictionary`, asking for all that match.
package func all(_ dictionary: QueryDictionary) -> QueryDictionary {
  dictionary.merging(["m_Limit": "m_LimitAll"]) { $1 }
}

/// The bytes of `text`.
package func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }
