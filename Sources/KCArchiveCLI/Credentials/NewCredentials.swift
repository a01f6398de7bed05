// The credentials that `slot add` and `rekey` make slots for: options that begin with `--new`, and recipients.

internal import ArchiveContainer
internal import ArchiveCrypto
internal import ByteCoding
internal import KeychainArchive

struct NewCredentials {
  private(set) var all: [ArchiveCredential] = []
  /// The recovery code that was drawn.
  private(set) var code: RecoveryCode?

  /// Reads them.
  ///
  /// - Parameter asks: whether a passphrase is asked for where no other is named.
  init(_ arguments: ParsedArguments, asks: Bool) throws(CommandError) {
    for (key, value) in arguments.options {
      switch (key, value) {
      case (.recipient, .text(let text)):
        all.append(
          ArchiveCredential(.recipient(try Recipient(commandLine: text), origin: "'-r'")))
      case (.recipientsFile, .path(let path)):
        for recipient in try recipients(in: path) {
          all.append(ArchiveCredential(.recipient(recipient, origin: "'-R'")))
        }
      case (.newKeyFile, .path(let path)):
        all += try Credentials(all: [.keyFile(try KeyFile(path))]).forArchives()
      case (.newRecoveryCode, _):
        do throws(CryptoError) {
          let code = try RecoveryCode.fresh()
          all.append(ArchiveCredential(.recoveryCode(code, origin: "a recovery code")))
          self.code = code
        } catch {
          throw CommandError(.failed, error.reason)
        }
      default: break
      }
    }
    all += try CredentialSources.newPassphrases(arguments, asks: asks && all.isEmpty).forArchives()
  }

  /// The recovery code as it is to be written down; nil where none was drawn.
  var codeText: String? {
    guard let code else { return nil }
    let text = code.text
    return String(decoding: text.bytes.array(at: 0, count: text.count), as: UTF8.self)
  }
}
