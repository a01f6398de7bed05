// `kcarchive keygen`: a new age identity, and the recipient to give to others.

internal import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc
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
      var json = JSONWriter()
      json.beginVersionedObject()
      json.key("keygen")
      json.beginObject()
      json.file("file", output)
      json.key("recipient")
      json.string(recipient)
      json.endObject()
      json.endObject()
      json.endLine()
      try console.output.write(json.bytes)
    } else {
      console.summary("public key: \(recipient)")
    }
    return .done
  }

  /// The time of now in UTC, to the second.
  private static func today() -> String {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    let seconds = Float64(now.tv_sec - 978_307_200)
    return Timestamp.text(seconds).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
