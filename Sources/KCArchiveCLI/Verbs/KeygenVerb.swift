// `kcarchive keygen`: a new age identity, and the recipient to give to others.

internal import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import PropertyListCodec

extension Verb {
  static let keygen = Verb(.keygen) { arguments, console throws(CommandError) in
    let output = arguments.path(.output) ?? "-"
    if output.isStandardStream {
      try console.output.refuseSecret(isRevealed: arguments.has(.reveal))
    }
    let identity: Identity
    do throws(CryptoError) {
      identity = try Identity.fresh()
    } catch {
      throw CommandError(.failed, error.reason)
    }
    let recipient = identity.recipient.text
    let secret = identity.text
    let head = Array("# created: \(today())\n# public key: \(recipient)\n".utf8)
    var text = SecretBytes(count: 0, capacity: head.count + secret.count + 1)
    text.append(head.bytes)
    text.append(secret.bytes)
    text.append([0x0A].bytes)
    try deliver(to: output, replacing: arguments.has(.force), console) {
      sink throws(CommandError) in
      try sink.put(text.bytes)
    }
    if arguments.wantsJSON {
      try console.output.write(
        JSONWriter.report("keygen") { json in
          json.file("file", output)
          json.key("recipient")
          json.string(recipient)
        })
    } else {
      console.summary("public key: \(recipient)")
    }
    return .done
  }

  /// The time of now in UTC, to the second.
  private static func today() -> String {
    Timestamp.text(ReferenceTime.now().rounded(.down)).map { String(decoding: $0, as: UTF8.self) }
      ?? ""
  }
}
