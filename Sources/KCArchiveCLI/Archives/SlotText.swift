// How slots are shown: a line for people, an object for programs.

internal import ArchiveContainer
internal import PropertyListCodec

extension Slot {
  /// Why its passphrase is easy to guess; nil where it costs what writers may choose, or has none.
  var weakness: String? {
    guard case .known(let cost) = kdf else { return nil }
    return cost.floorViolation
  }

  /// `1  passphrase   Argon2id 256 MiB, 3 passes, 4 lanes   'label'`
  func line(label: String?) -> String {
    var line = "\(id)  \(kind.name)"
    switch kdf {
    case .known(let cost): line += "   \(cost.summary)"
    case .unknown(let number): line += "   KDF \(number), not known"
    case nil: break
    }
    if isMixed, kind == .passphrase { line += ", with a key file" }
    if let weakness { line += "   weak: \(weakness)" }
    if let label, !label.isEmpty { line += "   '\(escaped(label))'" }
    return line
  }
}

extension Console {
  /// Points out the slots whose key derivation costs less than writers may choose, and what mends it.
  func warnOfWeakness(_ slots: [Slot], _ path: FilePath) {
    for slot in slots {
      guard let weakness = slot.weakness else { continue }
      let name = escaped(path.bytes)
      warning(
        CommandError(
          .done, "credential \(slot.id) is easy to guess: \(weakness)",
          hint: "'kcarchive slot add \(name)' makes a stronger one, 'kcarchive slot remove \(name) "
            + "\(slot.id)' takes this one away; copies of the archive keep it",
          place: CommandError.Place(file: path)))
    }
  }
}

extension Slot.Kind {
  /// The field's name for it: `passphrase`, `recipient`, `recovery-code`, `key-file` or its number.
  var name: String {
    switch self {
    case .passphrase: "passphrase"
    case .recipient: "recipient"
    case .recoveryCode: "recovery-code"
    case .keyFile: "key-file"
    case .unknown(let number): "\(number)"
    }
  }
}

extension JSONWriter {
  mutating func slot(_ slot: Slot, label: String?) {
    beginObject()
    key("id")
    integer(Int64(slot.id))
    key("kind")
    string(slot.kind.name)
    if let label {
      key("label")
      string(label)
    }
    if case .known(let cost) = slot.kdf {
      key("kdf")
      kdf(cost)
    }
    if let weakness = slot.weakness {
      key("weakness")
      string(weakness)
    }
    if slot.kind == .passphrase {
      key("withKeyFile")
      boolean(slot.isMixed)
    }
    endObject()
  }

  private mutating func kdf(_ cost: KDFCost) {
    let (name, time, parallelism): (String, UInt32, UInt32?) =
      switch cost {
      case .argon2id(_, let passes, let lanes): ("argon2id", passes, lanes)
      case .scrypt(_, _, let p): ("scrypt", p, nil)
      case .pbkdf2(let iterations): ("pbkdf2", iterations, nil)
      }
    beginObject()
    key("name")
    string(name)
    if cost.memoryByteCount > 0 {
      key("memory")
      integer(cost.memoryByteCount)
    }
    key("time")
    integer(Int64(time))
    if let parallelism {
      key("parallelism")
      integer(Int64(parallelism))
    }
    endObject()
  }
}
