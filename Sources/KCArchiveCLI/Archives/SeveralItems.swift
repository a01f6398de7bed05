// What a verb for one item says when it was named too loosely, or not at all.

internal import KeychainArchive

extension CommandError {
  /// No item matches.
  static func noItem(in path: FilePath) -> CommandError {
    CommandError(
      .noSuchItem, "no item matches", hint: "'kcarchive list' shows what there is",
      place: Place(file: path))
  }
}

/// Lists the items that a query was not precise enough for, without values.
func refuseSeveral(
  _ items: [StoredItem], _ path: FilePath, _ console: Console
) throws(CommandError) -> ExitStatus {
  console.error(
    CommandError(
      .failed, "\(counted(UInt64(items.count), "item")) match",
      hint: "narrow it down with '-c', '--access-group' or '--where'",
      place: CommandError.Place(file: path)))
  guard console.isJSON else {
    for item in items { console.summary("  " + ItemListing.line(item)) }
    return .failed
  }
  var listing = ItemListing(.json, console.output)
  try listing.begin()
  for item in items { try listing.add(item) }
  try listing.end()
  return .failed
}
