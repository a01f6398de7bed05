// The names of attributes: Apple's column names in the archive, SecItem's names towards people.

/// The key of an attribute: Apple's column name (`acct`) where the attribute table knows it, else
/// whatever name it came with. Keys are equal and ordered by their UTF-8 bytes.
public struct AttributeKey: Hashable, Sendable, Comparable {
  let packed: ByteName

  /// The key of this column; any text is one.
  public init(column: String) {
    packed = ByteName(column)
  }

  init(packed: ByteName) {
    self.packed = packed
  }

  /// The column's name, for example `acct`.
  public var column: String { packed.text }

  public static func == (left: AttributeKey, right: AttributeKey) -> Bool {
    left.packed == right.packed
  }

  public static func < (left: AttributeKey, right: AttributeKey) -> Bool {
    left.packed < right.packed
  }

  public func hash(into hasher: inout Hasher) {
    packed.hash(into: &hasher)
  }
}

extension AttributeKey: CustomStringConvertible {
  public var description: String { column }
}

// Named as SecItem names them (`kSecAttrAccount` is `.account`), in the table's order.
extension AttributeKey {
  /// `kSecClass`: holds an item's class in the encoded list; never among an item's attributes.
  public static let itemClass = AttributeKey(column: "clas")

  // All classes of Apple's.
  public static let creationDate = AttributeKey(column: "cdat")
  public static let modificationDate = AttributeKey(column: "mdat")
  public static let label = AttributeKey(column: "labl")
  public static let alias = AttributeKey(column: "alis")
  public static let accessGroup = AttributeKey(column: "agrp")
  public static let accessible = AttributeKey(column: "pdmn")
  public static let accessControl = AttributeKey(column: "accc")
  public static let synchronizable = AttributeKey(column: "sync")
  public static let tombstone = AttributeKey(column: "tomb")
  public static let syncViewHint = AttributeKey(column: "vwht")
  public static let tokenID = AttributeKey(column: "tkid")
  public static let multiUser = AttributeKey(column: "musr")
  public static let sharingGroup = AttributeKey(column: "ggrp")
  public static let appClipItem = AttributeKey(column: "clip")
  public static let sysBound = AttributeKey(column: "sysb")
  public static let pcsPlaintextServiceIdentifier = AttributeKey(column: "pcss")
  public static let pcsPlaintextPublicKey = AttributeKey(column: "pcsk")
  public static let pcsPlaintextPublicIdentity = AttributeKey(column: "pcsi")
  public static let uuid = AttributeKey(column: "UUID")
  public static let persistentReference = AttributeKey(column: "persistref")
  public static let sha1 = AttributeKey(column: "sha1")

  // Passwords.
  public static let description = AttributeKey(column: "desc")
  public static let comment = AttributeKey(column: "icmt")
  public static let creator = AttributeKey(column: "crtr")
  public static let type = AttributeKey(column: "type")
  public static let scriptCode = AttributeKey(column: "scrp")
  public static let isInvisible = AttributeKey(column: "invi")
  public static let isNegative = AttributeKey(column: "nega")
  public static let hasCustomIcon = AttributeKey(column: "cusi")
  /// The column `prot`, for which SecItem has no name.
  public static let protected = AttributeKey(column: "prot")
  public static let account = AttributeKey(column: "acct")
  public static let service = AttributeKey(column: "svce")
  public static let generic = AttributeKey(column: "gena")

  // Internet passwords.
  public static let securityDomain = AttributeKey(column: "sdmn")
  public static let server = AttributeKey(column: "srvr")
  public static let `protocol` = AttributeKey(column: "ptcl")
  public static let authenticationType = AttributeKey(column: "atyp")
  public static let port = AttributeKey(column: "port")
  /// An internet password's path, and a file's.
  public static let path = AttributeKey(column: "path")
  public static let inetExtraNotes = AttributeKey(column: "binn")
  public static let inetExtraHistory = AttributeKey(column: "bini")
  public static let inetExtraClientDefined0 = AttributeKey(column: "bin0")
  public static let inetExtraClientDefined1 = AttributeKey(column: "bin1")
  public static let inetExtraClientDefined2 = AttributeKey(column: "bin2")
  public static let inetExtraClientDefined3 = AttributeKey(column: "bin3")

  // Certificates.
  public static let certificateType = AttributeKey(column: "ctyp")
  public static let certificateEncoding = AttributeKey(column: "cenc")
  public static let subject = AttributeKey(column: "subj")
  public static let issuer = AttributeKey(column: "issr")
  public static let serialNumber = AttributeKey(column: "slnr")
  public static let subjectKeyID = AttributeKey(column: "skid")
  public static let publicKeyHash = AttributeKey(column: "pkhh")

  // Keys. `crtr` and `type` are shared with passwords: see `keyCreator` and `keyType`.
  public static let keyClass = AttributeKey(column: "kcls")
  public static let applicationLabel = AttributeKey(column: "klbl")
  public static let applicationTag = AttributeKey(column: "atag")
  /// The column of `creator`, as SecItem calls it for keys.
  public static let keyCreator = creator
  /// The column of `type`, as SecItem calls it for keys.
  public static let keyType = type
  public static let keySizeInBits = AttributeKey(column: "bsiz")
  public static let effectiveKeySize = AttributeKey(column: "esiz")
  public static let startDate = AttributeKey(column: "sdat")
  public static let endDate = AttributeKey(column: "edat")
  public static let isPermanent = AttributeKey(column: "perm")
  public static let isPrivate = AttributeKey(column: "priv")
  public static let isModifiable = AttributeKey(column: "modi")
  public static let isSensitive = AttributeKey(column: "sens")
  public static let wasAlwaysSensitive = AttributeKey(column: "asen")
  public static let isExtractable = AttributeKey(column: "extr")
  public static let wasNeverExtractable = AttributeKey(column: "next")
  public static let canEncrypt = AttributeKey(column: "encr")
  public static let canDecrypt = AttributeKey(column: "decr")
  public static let canDerive = AttributeKey(column: "drve")
  public static let canSign = AttributeKey(column: "sign")
  public static let canVerify = AttributeKey(column: "vrfy")
  public static let canSignRecover = AttributeKey(column: "snrc")
  public static let canVerifyRecover = AttributeKey(column: "vyrc")
  public static let canWrap = AttributeKey(column: "wrap")
  public static let canUnwrap = AttributeKey(column: "unwp")

  // Files.
  public static let mode = AttributeKey(column: "mode")
  public static let modificationTime = AttributeKey(column: "mtim")
  /// `file`, `directory` or `link`.
  public static let kind = AttributeKey(column: "fkin")
  /// What a symbolic link points to.
  public static let link = AttributeKey(column: "link")
}
