// What may not be a run's output: any file that the run reads. With `--force` the output would take the
// place of what it was made from, or of the key that opens it.

internal import Glibc
internal import KeychainInterchange

extension ParsedArguments {
  /// Refuses an output that is one of `inputs` or the file of a credential, also by another name or link.
  ///
  /// - Parameters:
  ///   - inputs: the files that are read; `-` is the standard input, which may be a file.
  ///   - key: the option that names the output.
  func refuseOutput(
    among inputs: [FilePath], _ key: OptionKey = .output
  ) throws(CommandError) {
    guard let output = path(key), !output.isStandardStream, output.isRegularFile,
      let own = FileTreeReader.Identity(path: output.bytes)
    else { return }
    for input in inputs + credentialFiles {
      let other =
        input.isStandardStream
        ? FileTreeReader.Identity(descriptor: STDIN_FILENO)
        : FileTreeReader.Identity(path: input.bytes)
      if other == own { throw .usage("\(quoted(output)) is both input and output") }
    }
  }

  private var credentialFiles: [FilePath] {
    [OptionKey.passphraseFile, .keyFile, .withKeyFile, .rules].flatMap(values).compactMap { value in
      guard case .path(let path) = value else { return nil }
      return path
    }
  }
}

extension FilePath {
  /// Whether a file with content of its own is there; devices and pipes are written through instead.
  fileprivate var isRegularFile: Bool {
    var status = stat()
    return unsafe withCString { unsafe stat($0, &status) } == 0
      && status.st_mode & S_IFMT == S_IFREG
  }
}
