// `kcarchive version`.

internal import PropertyListCodec

extension Verb {
  /// `kcarchive 0.1.0`, or `{"version":1,"program":{"name":"kcarchive","version":"0.1.0"}}`.
  static let version = Verb(.version) { arguments, console throws(CommandError) in
    guard arguments.wantsJSON else {
      try console.output.writeLine("kcarchive \(Program.version)")
      return .done
    }
    var json = JSONWriter()
    json.beginVersionedObject()
    json.key("program")
    json.beginObject()
    json.key("name")
    json.string("kcarchive")
    json.key("version")
    json.string(Program.version)
    json.endObject()
    json.endObject()
    json.endLine()
    try console.output.write(json.bytes)
    return .done
  }
}
