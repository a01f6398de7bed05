// Which archive SecItem… works on: one that the program names, or one that the environment names
// (Spec/security.md, "Which archive").

internal import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import Glibc
public import KeychainArchive
public import KeychainModel
internal import Synchronization

/// The keychain that `SecItemAdd`, `SecItemCopyMatching`, `SecItemUpdate` and `SecItemDelete` work on. It is
/// opened at the first call and stays open, for all threads.
public enum SecDefaultKeychain {
  /// Nil until a program names one, or until the environment was looked at.
  private static let chosen = Mutex<Keychain?>(nil)

  /// Makes `keychain` the default one. Calls that have begun go on with the one before.
  public static func use(_ keychain: Keychain) {
    chosen.withLock { $0 = keychain }
  }

  /// Opens the archive at `path`, or makes it, and makes it the default keychain.
  ///
  /// - Parameters:
  ///   - credentials: all are tried; each gets a slot of a new archive.
  ///   - accessGroups: as a program's entitlements list them; the first is that of items added without one.
  ///     `*` stands for all.
  public static func use(
    path: String, credentials: [ArchiveCredential], accessGroups: [String] = ["*"]
  ) throws(KeychainError) {
    use(
      try Keychain.openOrCreate(
        path: path, credentials: credentials, accessGroups: AccessGroups(accessGroups)))
  }

  /// Lets the default keychain go; the next call opens the one that the environment names.
  public static func useEnvironment() {
    chosen.withLock { $0 = nil }
  }

  /// Calls `body` with `keychain` in the place of the default one, for the calling task only and what it starts:
  /// so tests that run at the same time have a keychain each.
  public static func withKeychain<Result, Failure: Error>(
    _ keychain: Keychain, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do {
      return try $ofTask.withValue(keychain) { try body() }
    } catch let error as Failure {
      throw error
    } catch {
      preconditionFailure("only the body throws")
    }
  }

  @TaskLocal private static var ofTask: Keychain?

  /// The default keychain.
  ///
  /// - Throws: `errSecNotAvailable` where none is named; `errSecAuthFailed`, `errSecInvalidKeychain`, `errSecIO`.
  static func current() throws(KeychainError) -> Keychain {
    if let ofTask { return ofTask }
    return try chosen.withLock { chosen throws(KeychainError) in
      if let chosen { return chosen }
      let opened = try openFromEnvironment()
      chosen = opened
      return opened
    }
  }

  private static func openFromEnvironment() throws(KeychainError) -> Keychain {
    guard let path = environmentText("KCARCHIVE_KEYCHAIN") else {
      throw KeychainError(.notAvailable, "neither the program nor KCARCHIVE_KEYCHAIN names one")
    }
    guard let credential = try environmentCredential() else {
      throw KeychainError(.authenticationFailed, "no KCARCHIVE_PASSPHRASE…")
    }
    let groups = environmentText("KCARCHIVE_ACCESS_GROUPS").map { names in
      AccessGroups(names.split(separator: ",").map(String.init))
    }
    return try Keychain.openOrCreate(
      path: path, credentials: [credential], accessGroups: groups ?? .all)
  }

  /// The passphrase of the environment, as the command line takes it (Spec/cli.md, "Credentials").
  private static func environmentCredential() throws(KeychainError) -> ArchiveCredential? {
    if let value = unsafe getenv("KCARCHIVE_PASSPHRASE"), unsafe value[0] != 0 {
      let bytes = unsafe UnsafeRawBufferPointer(start: value, count: strlen(value))
      return unsafe credential(SecretBytes(copying: bytes.bytes), "KCARCHIVE_PASSPHRASE")
    }
    guard let path = environmentText("KCARCHIVE_PASSPHRASE_FILE") else { return nil }
    var secret = try contents(of: path)
    secret.dropLineEnd()
    guard secret.count > 0 else {
      throw KeychainError(.authenticationFailed, "the file of the passphrase is empty")
    }
    return credential(secret, "KCARCHIVE_PASSPHRASE_FILE")
  }

  private static func credential(
    _ secret: consuming SecretBytes, _ origin: String
  ) -> ArchiveCredential {
    ArchiveCredential(.passphrase(secret, origin: origin))
  }

  /// The longest passphrase that the command line takes, too.
  private static let passphraseLimit = 1 << 16

  private static func contents(of path: String) throws(KeychainError) -> SecretBytes {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw KeychainError(.authenticationFailed, "the file of the passphrase can't be opened")
    }
    defer { close(descriptor) }
    // A line's end more than the limit, and one byte to see that there is more.
    var secret = SecretBytes(count: passphraseLimit + 3)
    var count = 0
    while count < secret.count {
      var target = secret.mutableBytes
      let part = unsafe target.withUnsafeMutableBytes { bytes in
        unsafe read(descriptor, bytes.baseAddress! + count, bytes.count - count)
      }
      if part < 0, errno == EINTR { continue }
      guard part >= 0 else {
        throw KeychainError(.inputOutput, "the file of the passphrase can't be read")
      }
      if part == 0 { break }
      count += part
    }
    guard count <= passphraseLimit + 2 else {
      throw KeychainError(.authenticationFailed, "the file of the passphrase is too long")
    }
    secret.resize(to: count)
    return secret
  }

  /// The variable `name`; nil where it is missing or empty.
  private static func environmentText(_ name: String) -> String? {
    guard let value = unsafe getenv(name), unsafe value[0] != 0 else { return nil }
    return unsafe String(cString: value)
  }
}

extension SecretBytes {
  /// Drops one LF or CRLF from the end.
  fileprivate mutating func dropLineEnd() {
    guard count > 0, bytes.u8(at: count - 1) == UInt8(ascii: "\n") else { return }
    resize(to: count - 1)
    guard count > 0, bytes.u8(at: count - 1) == UInt8(ascii: "\r") else { return }
    resize(to: count - 1)
  }
}
