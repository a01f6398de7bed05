// The error families of Spec/container.md, "Findings": every way in which an archive can be refused.

/// What is wrong with an archive, where, and why. Holds no secret material.
package struct ContainerError: Error, Equatable, Sendable {
  /// The families; equality of errors looks at these only, so that wording can improve.
  package struct Code: Hashable, Sendable {
    package let name: String

    /// An unkeyed check fails, or input is malformed.
    package static let damaged = Code(name: "damaged")
    /// The file ends early, or no commit closes it.
    package static let truncated = Code(name: "truncated")
    /// The unkeyed checks hold and a MAC or a tag does not, or authentic content is malformed.
    package static let tampered = Code(name: "tampered")
    /// A version, feature, KDF or slot of another writer.
    package static let unsupported = Code(name: "unsupported")
    /// The checks hold and no credential opens a slot.
    package static let wrongCredential = Code(name: "wrong credential")
    /// No sign of the format.
    package static let notAnArchive = Code(name: "not an archive")
    /// A cost or a count is out of bounds; nothing was computed.
    package static let refusedByLimit = Code(name: "refused by a limit")
    /// The archive is older than it should be.
    package static let rollback = Code(name: "rollback")
    /// Two items of one session have the same token.
    package static let duplicateItem = Code(name: "duplicate item")
    /// The device, the file system or the library failed.
    package static let ioFailed = Code(name: "input or output failed")
    /// The source of a value changed or failed while it was read.
    package static let sourceFailed = Code(name: "source failed")
    /// The work was stopped by the one who asked for it.
    package static let cancelled = Code(name: "cancelled")
  }

  package let code: Code
  package let reason: String
  /// Where in the archive, in bytes from its start.
  package let offset: UInt64?
  /// What to do about it.
  package let hint: String?
  /// For duplicates: the origins that the caller gave to the two items.
  package let origins: [UInt32]

  package init(
    _ code: Code, _ reason: String, at offset: UInt64? = nil, hint: String? = nil,
    origins: [UInt32] = []
  ) {
    self.code = code
    self.reason = reason
    self.offset = offset
    self.hint = hint
    self.origins = origins
  }

  package static func == (left: ContainerError, right: ContainerError) -> Bool {
    left.code == right.code
  }

  /// How much worse one finding is than another: 14 before 13 before 4.
  package var severity: Int {
    switch code {
    case .tampered: 3
    case .damaged: 2
    case .truncated: 1
    default: 0
    }
  }
}
