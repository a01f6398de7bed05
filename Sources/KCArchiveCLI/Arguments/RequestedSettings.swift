// Groups of options as one value each, so that every verb understands them the same way.

/// Which items a verb is to look at.
package struct ItemQuery: Sendable {
  package let itemClass: String?
  package let service: String?
  package let account: String?
  package let accessGroup: String?
  package let server: String?
  package let accessible: String?
  package let attributes: [AttributeMatch]

  /// The classes that `-c` knows.
  package static let classes = ["genp", "inet", "cert", "keys", "idnt", "file"]

  /// The codes that `--accessible` knows: Apple's.
  package static let accessibilities = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]

  /// - Parameter attributes: the option that names attributes beside those that have one of their own.
  package init(_ arguments: ParsedArguments, attributes option: OptionKey = .matching) {
    itemClass = arguments.text(.itemClass)
    service = arguments.text(.service)
    account = arguments.text(.account)
    accessGroup = arguments.text(.accessGroup)
    server = arguments.text(.server)
    accessible = arguments.text(.accessible)
    attributes = arguments.values(option).compactMap {
      guard case .attribute(let match) = $0 else { return nil }
      return match
    }
  }
}

/// The key derivation that a new passphrase slot is to have. What is nil has the default of the
/// algorithm; whether the numbers are strong enough is judged where slots are made.
package struct KDFRequest: Sendable, Equatable {
  package enum Algorithm: String, Sendable, CaseIterable { case argon2id, scrypt, pbkdf2 }

  package let algorithm: Algorithm
  /// Argon2id: the memory; scrypt: 128 * r * N.
  package let memoryByteCount: UInt64?
  /// Argon2id: passes; scrypt: p; PBKDF2: iterations.
  package let time: UInt64?
  /// Argon2id only: lanes.
  package let parallelism: UInt64?

  /// - Throws: `usage` where a number has no meaning for the algorithm.
  package init(_ arguments: ParsedArguments) throws(CommandError) {
    algorithm = arguments.text(.kdf).flatMap(Algorithm.init) ?? .argon2id
    memoryByteCount = arguments.number(.kdfMemory)
    time = arguments.number(.kdfTime)
    parallelism = arguments.number(.kdfParallelism)
    if parallelism != nil && algorithm != .argon2id {
      throw .usage("'--kdf-parallelism' has no meaning for \(algorithm.rawValue)")
    }
    if memoryByteCount != nil && algorithm == .pbkdf2 {
      throw .usage("'--kdf-memory' has no meaning for pbkdf2")
    }
  }
}

/// What a reading verb accepts. nil stands for the default.
package struct ReadingLimits: Sendable {
  package let kdfMaxMemoryByteCount: UInt64?
  /// Units of Spec/container.md, summed over all slots that are tried.
  package let kdfMaxTime: UInt64?
  package let requiredCommit: CommitPin?
  package let acceptsOldHeader: Bool

  package init(_ arguments: ParsedArguments) {
    kdfMaxMemoryByteCount = arguments.number(.kdfMaxMemory)
    kdfMaxTime = arguments.number(.kdfMaxTime)
    if case .commit(let pin) = arguments.value(.requireCommit) {
      requiredCommit = pin
    } else {
      requiredCommit = nil
    }
    acceptsOldHeader = arguments.has(.acceptOldHeader)
  }
}

/// Where progress goes: `--progress`.
package enum ProgressMode: String, Sendable, CaseIterable {
  /// A line on standard error, if that is a terminal.
  case auto
  /// Nowhere.
  case none
  /// JSON lines on standard error.
  case json

  package init(_ arguments: ParsedArguments) {
    self = arguments.text(.progress).flatMap(ProgressMode.init) ?? .auto
  }
}
