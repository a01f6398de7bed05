// Opens the archive that a reading verb works on: file or pipe, then header, then credential.

internal import ArchiveContainer
internal import ArchiveCrypto
internal import Glibc
internal import KeychainArchive

/// An archive that a verb is to read, open as a device but not yet with a credential.
struct ArchiveInput {
  let path: FilePath
  let device: any Device
  /// Whether the device is a copy of what came through a pipe.
  let isSpooled: Bool
  private let arguments: ParsedArguments

  /// Opens the file or pipe, and looks whether it is an archive before anybody is asked for a
  /// passphrase.
  ///
  /// - Parameters:
  ///   - spools: whether a pipe is copied to a file of ciphertext first, to be read at random.
  ///   - needsHeader: false where a saved header takes its place.
  init(
    _ path: FilePath, _ arguments: ParsedArguments, spools: Bool, needsHeader: Bool = true
  ) throws(CommandError) {
    try self.init(
      path, arguments, device: try Self.open(path), spools: spools, needsHeader: needsHeader)
  }

  /// As above, of a file or pipe that is open already.
  init(
    _ path: FilePath, _ arguments: ParsedArguments, device opened: any Device, spools: Bool,
    needsHeader: Bool = true
  ) throws(CommandError) {
    self.path = path
    self.arguments = arguments
    isSpooled = spools && !opened.isSeekable
    if isSpooled {
      do {
        device = try Spool.copy(opened, in: Self.temporaryDirectory())
      } catch {
        throw CommandError(error, file: path)
      }
    } else {
      device = opened
    }
    guard device.isSeekable, needsHeader else { return }
    do {
      try OpenedArchive.checkHeader(of: device)
    } catch {
      throw CommandError(error, file: path)
    }
  }

  /// The slots of the header copy to try first, without a credential.
  func slots() throws(CommandError) -> [Slot] {
    do {
      return try OpenedArchive.slots(of: device)
    } catch {
      throw CommandError(error, file: path)
    }
  }

  /// The archive on a device that is open for writing.
  init(_ path: FilePath, _ device: FileDevice, _ arguments: ParsedArguments) throws(CommandError) {
    self.path = path
    self.device = device
    self.arguments = arguments
    isSpooled = false
  }

  static func open(_ path: FilePath) throws(CommandError) -> FileDevice {
    if path.isStandardStream {
      return FileDevice(descriptor: STDIN_FILENO, isOwned: false, isStream: true)
    }
    let descriptor = unsafe path.withCString { unsafe Glibc.open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .system(path, errno) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      close(descriptor)
      throw CommandError(
        .notFound, "is a directory, not a file", place: CommandError.Place(file: path))
    }
    return FileDevice(descriptor: descriptor)
  }

  private static func temporaryDirectory() -> String {
    guard let directory = unsafe getenv("TMPDIR") else { return "/tmp" }
    return unsafe String(cString: directory)
  }

  /// Reads the credentials that are given, or asks.
  func credentials(
    _ need: CredentialSources.Need
  ) throws(CommandError) -> [ArchiveCredential] {
    try CredentialSources(arguments).read(need).forArchives()
  }

  var options: OpenOptions {
    let limits = ReadingLimits(arguments)
    var options = OpenOptions()
    if let units = limits.kdfMaxTime { options.limits.units = units }
    if let memory = limits.kdfMaxMemoryByteCount { options.limits.memoryByteCount = memory }
    options.requirement = limits.requiredCommit.map {
      CommitRequirement(number: $0.number, hash: $0.hashBytes)
    }
    options.acceptsOldHeader = limits.acceptsOldHeader
    return options
  }

  /// Opens the archive; what is odd about it is warned of.
  ///
  /// - Parameter warnsOfWeakness: whether the slot that opened is warned of where it is easy to guess.
  /// - Returns: the archive, and the status that what it has lost amounts to.
  func open(
    _ credentials: [ArchiveCredential], _ console: Console, warnsOfWeakness: Bool = true
  ) throws(CommandError) -> (archive: KeychainArchive, status: ExitStatus) {
    let archive = try openQuietly(credentials)
    var gravest = Gravest()
    for finding in archive.opened.findings {
      let warning = CommandError(finding.error, file: path)
      console.warning(warning)
      if finding.isLoss || isSpooled && finding.weight == .cut {
        gravest.note(warning.status)
      }
    }
    let header = archive.opened.header
    if warnsOfWeakness {
      console.warnOfWeakness(header.slots.filter { $0.id == header.slotID }, path)
    }
    return (archive, gravest.status)
  }

  /// Opens the archive; what is odd about it is the caller's.
  func openQuietly(_ credentials: [ArchiveCredential]) throws(CommandError) -> KeychainArchive {
    do {
      return try KeychainArchive.open(device, credentials: credentials, options: options)
    } catch {
      throw CommandError(error, file: path)
    }
  }
}

extension CommitPin {
  /// The hash as bytes; of an odd number of digits the last one is not compared.
  fileprivate var hashBytes: [UInt8] {
    let digits = Array((hash ?? "").utf8)
    return stride(from: 0, to: digits.count & ~1, by: 2).map { index in
      Self.value(digits[index]) << 4 | Self.value(digits[index + 1])
    }
  }

  private static func value(_ digit: UInt8) -> UInt8 {
    digit >= UInt8(ascii: "a") ? digit - UInt8(ascii: "a") + 10 : digit - UInt8(ascii: "0")
  }
}

extension Credentials {
  /// The credentials as the library takes them: key files are read and hashed here.
  func forArchives() throws(CommandError) -> [ArchiveCredential] {
    var result: [ArchiveCredential] = []
    for credential in all {
      switch credential {
      case .passphrase(let passphrase):
        let bytes = passphrase.bytes.withBytes { SecretBytes(copying: $0) }
        if let mixedKeyFile {
          result.append(
            ArchiveCredential(
              .passphrase(
                bytes, mixedWith: try mixedKeyFile.digest(), origin: passphrase.source)))
        } else {
          result.append(ArchiveCredential(.passphrase(bytes, origin: passphrase.source)))
        }
      case .keyFile(let file):
        result.append(
          ArchiveCredential(.keyFile(digest: try file.digest(), origin: "'--key-file'")))
      case .recipient(let recipient):
        result.append(ArchiveCredential(.recipient(recipient, origin: "'-r'")))
      case .identity(let identity):
        result.append(ArchiveCredential(.identity(identity, origin: "'-i'")))
      case .recoveryCode(let code):
        result.append(ArchiveCredential(.recoveryCode(code, origin: "'--recovery-code'")))
      }
    }
    return result
  }
}

extension KeyFile {
  /// D of the Spec: what stands for the file in every derivation.
  fileprivate func digest() throws(CommandError) -> SecretBytes {
    let mac: HMACSHA256
    do {
      mac = try ArchiveContainer.Credential.keyFileDigester()
    } catch {
      throw CommandError(.failed, error.reason)
    }
    try forEachChunk { chunk in mac.update(chunk) }
    var digest = SecretBytes(count: HMACSHA256.byteCount)
    var target = digest.mutableBytes
    mac.finish(into: &target)
    return digest
  }
}
