// `kcarchive slot list` and `slot test`: which credentials an archive has, and which of them are at hand.

internal import ArchiveContainer
internal import KeychainArchive
internal import PropertyListCodec

extension Verb {
  static let slotList = Verb(.slotList) { arguments, console throws(CommandError) in
    let input = try ArchiveInput(arguments.operands[0], arguments, spools: true)
    let credentials = try input.credentials(.given)
    let slots: [Slot]
    var keys: ArchiveKeys?
    if credentials.isEmpty {
      slots = try input.slots()
    } else {
      let (archive, _) = try input.open(credentials, console, warnsOfWeakness: false)
      slots = archive.opened.header.slots
      keys = archive.opened.keys
    }
    console.warnOfWeakness(slots, input.path)
    func label(_ slot: Slot) -> String? { keys.flatMap { slot.label(keys: $0) } }
    guard arguments.wantsJSON else {
      for slot in slots { try console.output.writeLine(slot.line(label: label(slot))) }
      return .done
    }
    var json = JSONWriter()
    json.beginVersionedObject()
    json.key("slots")
    json.beginArray()
    for slot in slots { json.slot(slot, label: label(slot)) }
    json.endArray()
    json.endObject()
    json.endLine()
    try console.output.write(json.bytes)
    return .done
  }

  /// Opens the archive as every reader does, and says by which slot.
  static let slotTest = Verb(.slotTest) { arguments, console throws(CommandError) in
    let input = try ArchiveInput(arguments.operands[0], arguments, spools: true)
    let (archive, status) = try input.open(try input.credentials(.opening), console)
    let header = archive.opened.header
    guard arguments.wantsJSON else {
      for slot in header.slots where slot.id == header.slotID {
        try console.output.writeLine(
          slot.line(label: slot.label(keys: header.keys)) + "   opens it")
      }
      return status
    }
    var json = JSONWriter()
    json.beginVersionedObject()
    json.key("opens")
    json.integer(Int64(header.slotID))
    json.endObject()
    json.endLine()
    try console.output.write(json.bytes)
    return status
  }
}
