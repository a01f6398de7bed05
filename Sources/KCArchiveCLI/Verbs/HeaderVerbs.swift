// `kcarchive header export` and `header import`: the one part of an archive without which nothing opens, saved and
// put back.

internal import ArchiveContainer
internal import ByteCoding
internal import KeychainArchive
internal import PropertyListCodec

extension Verb {
  static let headerExport = Verb(.headerExport) { arguments, console throws(CommandError) in
    let path = arguments.operands[0]
    try arguments.refuseOutput(among: [path])
    let output = arguments.path(.output) ?? "-"
    if output.isStandardStream { try console.output.refuseBinary("a header") }
    let input = try ArchiveInput(path, arguments, spools: true)
    let copy: HeaderCopy
    do throws(ContainerError) {
      copy = try OpenedArchive.headerCopy(of: input.device)
    } catch {
      throw CommandError(error, file: path)
    }
    try deliver(to: output, replacing: arguments.has(.force), console) {
      sink throws(CommandError) in
      try sink.put(copy.bytes.bytes)
    }
    if !output.isStandardStream {
      console.summary("saved header \(copy.sequence) of \(escaped(path.bytes))")
      console.note("it opens the archive with the credentials of now, also after they are removed")
    }
    return .done
  }

  static let headerImport = Verb(.headerImport) { arguments, console throws(CommandError) in
    let path = arguments.operands[0]
    guard arguments.operands.count == 2 else {
      throw .usage("header import takes an archive and a saved header")
    }
    let saved = try readHeader(arguments.operands[1])
    let credentials = try CredentialSources(arguments).read(.opening).forArchives()
    let device: FileDevice
    do throws(DeviceError) {
      device = try FileDevice.locked(path.bytes, waits: arguments.has(.wait))
    } catch {
      throw CommandError(ArchiveError(error), file: path)
    }
    let sequence: UInt64
    let options = try ArchiveInput(path, device, arguments).options
    do throws(ContainerError) {
      sequence = try HeaderRepair.run(
        device, savedHeader: saved, credentials: credentials.map(\.credential),
        options: options)
    } catch {
      throw CommandError(error, file: path)
    }
    if arguments.wantsJSON {
      try console.output.write(
        JSONWriter.report("header") { json in
          json.file("file", path)
          json.key("sequence")
          json.integer(sequence)
        })
    } else {
      console.summary("put header \(sequence) back into \(escaped(path.bytes))")
    }
    return .done
  }
}
