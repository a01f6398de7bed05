// `kcarchive pack`: items and files into a new archive.

internal import KeychainArchive
internal import PropertyListCodec

extension Verb {
  static let pack = Verb(.pack) { arguments, console throws(CommandError) in
    let output = arguments.path(.output) ?? "-"
    if output.isStandardStream { try console.output.refuseBinary("an archive") }
    let options = try WriteOptions(arguments)
    let inputs = try arguments.operands.map { path throws(CommandError) in
      try ItemInput(path, asFile: arguments.has(.asFile))
    }
    try arguments.refuseOutput(among: inputs.filter(\.isRead).map(\.path))
    // Made before anybody is asked for a passphrase: what is in the way is said at once.
    let target = try NewOutput(output, replacing: arguments.has(.force), console)
    let total = inputs.totalByteCount
    try target.reserve(total ?? 0)
    let credentials = try CredentialSources(arguments).read(.creating).forArchives()
    let progress = console.showProgress(
      "packing", ProgressMode(arguments), totalByteCount: total)
    var archive = try NewArchive(target, credentials, options)
    var reading = ItemReading(console, progress, selecting: CarriedItems(arguments))
    try reading.run(inputs, into: &archive)
    let depth = ReadBack.Depth(arguments, isFile: target.isFile)
    let summary = try archive.finish(depth: depth)
    progress.finish()
    if let note = CarriedItems.note(leftOut: reading.leftOutCount) { console.note(note) }
    let report = PackReport(
      path: target.path, byteCount: summary.byteCount, itemCount: reading.itemCount,
      fileCount: reading.fileCount, valueByteCount: reading.valueByteCount, depth: depth,
      commit: summary.commitNumber)
    if arguments.wantsJSON {
      try console.output.write(report.json)
    } else {
      console.summary(report.line)
    }
    return reading.lossCount > 0 ? .doneWithLosses : .done
  }
}

/// What was packed.
private struct PackReport {
  let path: FilePath
  let byteCount: UInt64
  let itemCount: UInt64
  let fileCount: UInt64
  let valueByteCount: UInt64
  let depth: ReadBack.Depth?
  let commit: UInt64

  /// `packed 1,204 items and 37 files, 48.2 MiB, into backup.kcarchive (49.0 MiB); read back and sound`
  var line: String {
    var parts: [String] = []
    if itemCount > 0 || fileCount == 0 { parts.append(counted(itemCount, "item")) }
    if fileCount > 0 { parts.append(counted(fileCount, "file")) }
    let place = path.isStandardStream ? "standard output" : escaped(path.bytes)
    let sound = depth == nil ? "" : "; read back and sound"
    return "packed \(parts.joined(separator: " and ")), \(sizeText(valueByteCount)), into \(place)"
      + " (\(sizeText(byteCount)))\(sound)"
  }

  var json: [UInt8] {
    JSONWriter.report("pack") { json in
      json.file("file", path)
      for (name, number) in [
        ("bytes", byteCount), ("items", itemCount), ("files", fileCount),
        ("valueBytes", valueByteCount), ("commit", commit),
      ] {
        json.key(name)
        json.integer(number)
      }
      json.key("readBack")
      json.string(depth.map { $0 == .everything ? "all" : "sampled" } ?? "none")
    }
  }
}
