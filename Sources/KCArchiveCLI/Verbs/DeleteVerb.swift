// `kcarchive delete`: takes one item out of an archive, in place.

internal import ByteCoding
internal import KeychainArchive
internal import KeychainModel
internal import PropertyListCodec

extension Verb {
  static let delete = Verb(.delete) { arguments, console throws(CommandError) in
    let query = try ItemQuery(arguments).attributeQuery()
    let change = try ArchiveChange(arguments, console)
    let result: SearchResult
    do throws(ArchiveError) {
      result = try change.editor.archive.search(query)
    } catch {
      throw CommandError(error, file: change.path)
    }
    // What can't be read may be what was meant.
    if let loss = result.losses.first { throw CommandError(loss, file: change.path) }
    guard let item = result.items.first else { throw .noItem(in: change.path) }
    guard result.items.count == 1 else {
      return try refuseSeveral(result.items, change.path, console)
    }
    let shreds = arguments.has(.shred)
    do throws(ArchiveError) {
      try change.editor.delete(item, shredding: shreds)
    } catch {
      throw CommandError(error, file: change.path)
    }
    let commit = try change.commit()
    let name = item.item.displayName
    if arguments.wantsJSON {
      try console.output.write(
        JSONWriter.report("delete") { json in
          json.file("file", change.path)
          json.key("item")
          json.string(name)
          json.key("shredded")
          json.boolean(shreds)
          json.key("commit")
          json.integer(commit)
        })
    } else {
      console.summary(
        "\(shreds ? "shredded" : "deleted") \(escaped(name)) in \(escaped(change.path.bytes))")
    }
    console.note(
      shreds
        ? "its bytes are overwritten in this file; copies, snapshots and a drive's spare blocks may "
          + "still hold them"
        : "its encrypted bytes stay in the file; '--shred' overwrites them")
    return .done
  }
}
