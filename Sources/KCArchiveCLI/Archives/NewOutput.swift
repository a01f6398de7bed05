// Output files of the verbs: whole or not at all, also when the run is interrupted.

internal import ArchiveContainer
internal import Glibc
internal import KeychainArchive

/// Lets a signal's handler remove the temporary file that is being written.
final class WatchedTemporaryFile: TemporaryFileObserver {
  private var file: Interruption.TemporaryFile?

  func willCreate(_ path: [UInt8], in directory: CInt) {
    file = Interruption.unlinking(FilePath(bytes: path), in: directory)
  }

  func isGone() {
    file = nil
  }
}

/// Where a verb's data goes: a new file, or standard output.
struct NewOutput {
  let path: FilePath
  /// Nil for standard output.
  let file: NewFile?
  let device: FileDevice

  /// - Throws: `wouldOverwrite` where a file is there and `replaces` is not set; `usage` for an
  ///   archive that would go to a terminal.
  init(
    _ path: FilePath, replacing replaces: Bool, mode: UInt32 = 0o600, _ console: Console
  ) throws(CommandError) {
    self.path = path
    if path.isStandardStream {
      file = nil
      device = FileDevice(descriptor: console.output.descriptor, isOwned: false, isStream: true)
      return
    }
    do {
      let file = try NewFile(
        path.bytes, replacing: replaces, mode: mode, observer: WatchedTemporaryFile())
      self.file = file
      device = file.device
    } catch {
      throw CommandError(ArchiveError(error), file: path)
    }
  }

  /// Whether the output can be read back.
  var isFile: Bool { file.map { !$0.isWrittenThrough } ?? false }

  /// Asks for room for `byteCount` bytes, where a file system can promise it.
  func reserve(_ byteCount: UInt64) throws(CommandError) {
    do {
      try file?.reserve(byteCount)
    } catch {
      throw CommandError(ArchiveError(error), file: path)
    }
  }

  /// Syncs what was written; `publish` then gives it its name.
  func sync() throws(CommandError) {
    do {
      try file?.trim()
      try device.sync()
    } catch {
      throw CommandError(ArchiveError(error), file: path)
    }
  }

  func publish() throws(CommandError) {
    do {
      try file?.publish()
    } catch {
      throw CommandError(ArchiveError(error), file: path)
    }
  }
}

/// Writes data to an output in pieces; what is left is written by `finish`.
final class OutputSink: ValueSink {
  private let output: NewOutput
  private var position: UInt64 = 0

  init(_ output: NewOutput) {
    self.output = output
  }

  func write(_ bytes: RawSpan) throws(ContainerError) {
    do {
      try output.device.write(bytes, at: position)
    } catch {
      throw ContainerError(error)
    }
    position += UInt64(bytes.byteCount)
  }

  /// `write` with the program's error. A closed pipe ends the run quietly.
  func put(_ bytes: RawSpan) throws(CommandError) {
    do {
      try output.device.write(bytes, at: position)
    } catch {
      if output.file == nil, error.number == EPIPE { throw .closedPipe }
      throw CommandError(ArchiveError(error), file: output.path)
    }
    position += UInt64(bytes.byteCount)
  }
}
