// What a run says on standard error, as JSON lines: Spec/cli.md, "Messages".

internal import ByteCoding
internal import PropertyListCodec

/// The version of every JSON object that the program writes by itself.
package let jsonVersion: Int64 = 1

extension JSONWriter {
  /// Begins an object with the field that all of ours have.
  package mutating func beginVersionedObject() {
    beginObject()
    key("version")
    integer(jsonVersion)
  }

  /// What a verb has done, as `--json` tells it: `{"version":1,VERB:{…}}` and a line feed.
  ///
  /// - Parameter body: writes the members of the inner object.
  static func report(_ verb: StaticString, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    json.beginVersionedObject()
    json.key(verb)
    json.beginObject()
    body(&json)
    json.endObject()
    json.endObject()
    json.endLine()
    return json.bytes
  }

  /// A key and the name of a file. Where it is not UTF-8, the text shows it escaped and a second
  /// field, the key with `Base64` behind it, has the bytes.
  package mutating func file(_ name: String, _ path: FilePath) {
    key(name)
    if let text = String(validating: path.bytes, as: UTF8.self) {
      string(text)
    } else {
      string(escaped(path.bytes))
      key(name + "Base64")
      string(String(decoding: Base64.encode(path.bytes.bytes), as: UTF8.self))
    }
  }
}

extension CommandError {
  /// `{"version":1,"error":{"status":…,"name":…,"message":…,"hint":…,"place":{…}}}` and a line feed.
  ///
  /// - Parameter kind: `error` or `warning`.
  func jsonLine(kind: String) -> [UInt8] {
    var json = JSONWriter()
    json.beginVersionedObject()
    json.key(kind)
    json.beginObject()
    json.key("status")
    json.integer(Int64(status.rawValue))
    json.key("name")
    json.string(status.name)
    json.key("message")
    json.string(message)
    if let hint {
      json.key("hint")
      json.string(hint)
    }
    if !place.isEmpty {
      json.key("place")
      place.write(to: &json)
    }
    json.endObject()
    json.endObject()
    json.endLine()
    return json.bytes
  }
}

extension CommandError.Place {
  fileprivate func write(to json: inout JSONWriter) {
    json.beginObject()
    if let file { json.file("file", file) }
    if let offset {
      json.key("offset")
      json.integer(offset)
    }
    if let line {
      json.key("line")
      json.integer(Int64(line))
    }
    if let column {
      json.key("column")
      json.integer(Int64(column))
    }
    if let item {
      json.key("item")
      json.string(item)
    }
    json.endObject()
  }
}

extension Progress {
  /// `{"version":1,"progress":{"activity":…,"bytes":…,"items":…,"done":…}}` and a line
  /// feed; `totalBytes`, `totalItems`, `bytesPerSecond` and `secondsLeft` where they are known.
  func jsonLine(_ now: UInt64, isDone: Bool) -> [UInt8] {
    var json = JSONWriter()
    json.beginVersionedObject()
    json.key("progress")
    json.beginObject()
    json.key("activity")
    json.string(activity)
    for (name, number) in [
      ("bytes", byteCount), ("totalBytes", totalByteCount), ("items", itemCount),
      ("totalItems", totalItemCount), ("bytesPerSecond", bytesPerSecond(now)),
      ("secondsLeft", secondsLeft(now)),
    ] {
      guard let number else { continue }
      json.key(name)
      json.integer(number)
    }
    json.key("done")
    json.boolean(isDone)
    json.endObject()
    json.endObject()
    json.endLine()
    return json.bytes
  }
}
