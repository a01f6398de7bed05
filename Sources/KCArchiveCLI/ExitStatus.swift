// The statuses the program ends with. Scripts rely on the numbers: Spec/cli.md, "Exit statuses", is
// this table, and so is `kcarchive help exit-codes`.

/// How a run ended. The raw value is what the shell sees.
package enum ExitStatus: Int32, Error, Sendable, CaseIterable {
  case done = 0
  case failed = 1
  case usage = 2
  case doneWithLosses = 3
  case truncated = 4
  case notFound = 10
  case locked = 11
  case wrongCredential = 12
  case damaged = 13
  case tampered = 14
  case unsupported = 15
  case refusedByLimit = 16
  case rolledBack = 17
  case wouldOverwrite = 18
  case noSuchItem = 19
  case duplicateItem = 20
  case interrupted = 130
  case terminated = 143

  /// The word that stands for the status in JSON.
  package var name: String {
    switch self {
    case .done: "done"
    case .failed: "failed"
    case .usage: "usage"
    case .doneWithLosses: "done-with-losses"
    case .truncated: "truncated"
    case .notFound: "not-found"
    case .locked: "locked"
    case .wrongCredential: "wrong-credential"
    case .damaged: "damaged"
    case .tampered: "tampered"
    case .unsupported: "unsupported"
    case .refusedByLimit: "refused-by-limit"
    case .rolledBack: "rolled-back"
    case .wouldOverwrite: "would-overwrite"
    case .noSuchItem: "no-such-item"
    case .duplicateItem: "duplicate-item"
    case .interrupted: "interrupted"
    case .terminated: "terminated"
    }
  }

  /// What the status tells, in one line of the help topic.
  package var meaning: String {
    switch self {
    case .done: "everything was done"
    case .failed: "failed for a reason that has no number of its own; the message says it"
    case .usage: "the command line is wrong, or a credential is missing and nobody can be asked"
    case .doneWithLosses: "done, but not everything could be carried over; each loss is listed"
    case .truncated: "the file ends too early, or in an append that was never committed"
    case .notFound: "no such file, or not a file that kcarchive knows"
    case .locked: "another program is writing to the archive"
    case .wrongCredential: "none of the credentials given opens the file"
    case .damaged: "damaged or malformed"
    case .tampered: "changed or damaged since it was written, with its checks repaired"
    case .unsupported: "a version or feature that this program does not know"
    case .refusedByLimit: "a limit refused it; the message names the option that lifts it"
    case .rolledBack: "older than it has to be: an old copy was put in its place"
    case .wouldOverwrite: "the output exists; --force replaces it"
    case .noSuchItem: "no item matches"
    case .duplicateItem: "an item with the same primary key is there already"
    case .interrupted: "interrupted from the keyboard; no partial output is left"
    case .terminated: "told to end by another program; no partial output is left"
    }
  }
}
