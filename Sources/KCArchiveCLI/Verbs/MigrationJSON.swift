// What `migrate --json` prints: Spec/cli.md, section 2.3.

internal import KeychainInterchange
internal import KeychainModel
internal import PropertyListCodec

extension MigrationReport {
  var json: [UInt8] {
    JSONWriter.report("migrate") { json in
      json.key("lists")
      json.beginArray()
      for planned in plans { write(planned, to: &json) }
      json.endArray()
      json.key("losses")
      json.beginArray()
      for loss in losses {
        json.beginObject()
        json.file("file", loss.file)
        if let key = loss.key {
          json.key("key")
          json.string(key)
        }
        json.key("reason")
        json.string(loss.reason)
        json.endObject()
      }
      json.endArray()
      if let archive {
        json.key("archive")
        json.beginObject()
        json.file("file", archive.file)
        json.key("bytes")
        json.integer(archive.byteCount)
        json.key("items")
        json.integer(UInt64(takenCount))
        json.key("compared")
        json.boolean(archive.isCompared)
        json.endObject()
      }
      json.key("redacted")
      json.beginArray()
      for file in redacted {
        json.beginObject()
        json.file("file", file)
        json.endObject()
      }
      json.endArray()
    }
  }

  private func write(_ planned: PlannedList, to json: inout JSONWriter) {
    let plan = planned.plan
    json.beginObject()
    json.file("file", FilePath(bytes: plan.list.file))
    json.file("path", FilePath(bytes: plan.list.path))
    json.key("domain")
    json.string(plan.list.domain)
    if plan.list.signedMessage != nil {
      json.key("signed")
      json.boolean(true)
    }
    if let group = planned.group {
      json.key("accessGroup")
      json.string(group)
    }
    json.key("keys")
    json.beginArray()
    for key in plan.keys { write(key, plan, planned.group, to: &json) }
    json.endArray()
    json.key("takesFile")
    json.boolean(plan.takesFile)
    json.endObject()
  }

  private func write(
    _ key: PlannedKey, _ plan: MigrationPlan, _ group: String?, to json: inout JSONWriter
  ) {
    json.beginObject()
    json.key("key")
    json.string(key.path.text)
    json.key("kind")
    json.string(plan.kindName(of: key))
    json.key("choice")
    switch key.choice {
    case .take(let reason):
      json.string("take")
      json.key("because")
      switch reason {
      case .name: json.string("name")
      case .content: json.string("content")
      case .everything: json.string("all")
      case .rule(let number):
        json.string("rule")
        json.key("rule")
        json.integer(Int64(number))
      }
      if let item = try? plan.item(for: key, group: group) { write(item, to: &json) }
    case .drop(let number):
      json.string("drop")
      json.key("rule")
      json.integer(Int64(number))
    case .leave: json.string("leave")
    case .leaveReference:
      json.string("leave")
      json.key("because")
      json.string("reference")
    case .leaveFlag:
      json.string("leave")
      json.key("because")
      json.string("kind")
    }
    json.endObject()
  }

  private func write(_ item: ListItem, to json: inout JSONWriter) {
    json.key("class")
    json.string(item.item.itemClass.rawValue)
    for name in [AttributeKey.service, .server, .account] {
      guard case .text(let text) = item.item[name] else { continue }
      json.key(name.name)
      json.string(text)
    }
    json.key("bytes")
    json.integer(UInt64(item.value.count))
  }
}
