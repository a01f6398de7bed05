// Every option by the one name it is spelled with. Tables, parser, help and the verbs use these.

/// An option's spelling on the command line.
package enum OptionKey: String, Sendable, CaseIterable {
  case help = "--help"
  case shortHelp = "-h"

  case output = "-o"
  case directory = "-C"
  case itemClass = "-c"
  case service = "-s"
  case account = "-a"
  case accessGroup = "--access-group"
  case server = "--server"
  case matching = "--where"

  case dryRun = "--dry-run"
  case all = "--all"
  case rules = "--rules"
  case redact = "--redact"

  case asFile = "--as-file"
  case force = "--force"
  case noCompress = "--no-compress"
  case verify = "--verify"
  case noVerify = "--no-verify"
  case label = "--label"
  case kdf = "--kdf"
  case kdfMemory = "--kdf-memory"
  case kdfTime = "--kdf-time"
  case kdfParallelism = "--kdf-parallelism"

  case passphraseDescriptor = "--passphrase-fd"
  case passphraseFile = "--passphrase-file"
  case passphraseCommand = "--passphrase-command"
  case keyFile = "--key-file"
  case withKeyFile = "--with-key-file"

  case kdfMaxMemory = "--kdf-max-memory"
  case kdfMaxTime = "--kdf-max-time"
  case requireCommit = "--require-commit"
  case acceptOldHeader = "--accept-old-header"

  case summary = "--summary"
  case reveal = "--reveal"
  case raw = "--raw"
  case path = "--path"
  case depth = "--depth"
  case strict = "--strict"
  case decode = "--decode"
  case plist = "--plist"
  case to = "--to"
  case json = "--json"
  case jsonLines = "--jsonl"
  case progress = "--progress"
}
