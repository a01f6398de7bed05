// Certificates, keys and identities; persistent references; items that are locked or ask for a person's presence.

import Foundation

/// A certificate of our own, whose names are PrintableStrings: O = " Example  Org", CN = "kcarchive test".
package let sampleCertificate: [UInt8] = {
  let text = """
    MIIBdTCCARugAwIBAgICEAAwCgYIKoZIzj0EAwIwMTEWMBQGA1UEChMNIEV4YW1wbGUgIE9yZzEXMBUGA1UE
    AxMOa2NhcmNoaXZlIHRlc3QwIBcNMjYxMTMwMjMzOTU3WhgPMjEyNjExMDYyMzM5NTdaMDExFjAUBgNVBAoT
    DSBFeGFtcGxlICBPcmcxFzAVBgNVBAMTDmtjYXJjaGl2ZSB0ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
    QgAEXAz5WH0D0lZ6BQPsz7VFjMwGgX6SAIqkJPwZhDdoBCrZgoid/9Y99JRB3CrtujZfFEyM7pTnIfFQCFbK
    2Z6yEKMhMB8wHQYDVR0OBBYEFENZXUGqdDdCryy8VHy4KaennPOeMAoGCCqGSM49BAMCA0gAMEUCIDS27TzY
    86TefT30UB38+5cXrxRWO0bGinhqFYWGwhcJAiEAsjSWsHqvztOFsXplLMmOqKy8xqeoTy3Scrf3FJgMI+s=
    """
  return Array(Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
}()

/// SHA-1 over the bits of its public key.
private let keyHash: [UInt8] = [
  0x43, 0x59, 0x5d, 0x41, 0xaa, 0x74, 0x37, 0x42, 0xaf, 0x2c, 0xbc, 0x54, 0x7c, 0xb8, 0x29, 0xa7,
  0xa7, 0x9c, 0xf3,
  0x9e,
]

private let certificate: QueryDictionary = ["class": "cert", "v_Data": .bytes(sampleCertificate)]

/// The private key that belongs to the certificate, its value a stand-in.
private let privateKey: QueryDictionary = [
  "class": "keys", "kcls": "1", "klbl": .bytes(keyHash), "type": "73", "priv": true,
  "v_Data": .bytes([4, 1, 2]),
]

extension QueryCase {
  static let certificates: [QueryCase] = [
    QueryCase(
      "A certificate's attributes follow from it",
      "SecCertificate.c, SecCertificateCopyAttributeDictionary",
      [
        .add(certificate),
        .copy(
          attributes(["class": "cert"]),
          .attributes([
            "ctyp": 3, "cenc": 3, "slnr": .bytes([0x10, 0]), "pkhh": .bytes(keyHash), "pdmn": "dk",
            "labl": "kcarchive test", "skid": .bytes(keyHash),
          ])),
      ]),
    QueryCase(
      "A label that is given is kept", "SecItem.m, infer_cert_label",
      [
        .add(certificate.merging(["labl": "mine"]) { $1 }),
        .copy(attributes(["class": "cert"]), .attributes(["labl": "mine"])),
      ]),
    QueryCase(
      "A value that is no certificate is refused", "SecCertificate.c, SecCertificateCreateWithData",
      [.add(["class": "cert", "v_Data": .bytes([0x30, 0])], .parameter)]),
    QueryCase(
      "A certificate is found by its serial number", "SecItem.h, kSecAttrSerialNumber",
      [
        .add(certificate),
        .copy(data(["class": "cert", "slnr": .bytes([0x10, 0])]), .data(sampleCertificate)),
        .copy(["class": "cert", "slnr": .bytes([1])], .notFound),
      ]),
    QueryCase(
      "Issuers are compared in capitals and without blanks",
      "SecCertificate.c, createNormalizedX501Name",
      [
        .add(certificate),
        .copy(
          ["class": "cert", "m_Issuers": .list([name("EXAMPLE ORG", "KCARCHIVE TEST")])], .success),
        .copy(
          ["class": "cert", "m_Issuers": .list([name("Example  Org ", "kcarchive test")])], .success
        ),
        .copy(["class": "cert", "m_Issuers": .list([name("Other", "kcarchive test")])], .notFound),
      ]),
    QueryCase(
      "A certificate is valid or it is not", "SecItemDb.c, match_item: kSecMatchValidOnDate",
      [
        .add(certificate),
        .copy(["class": "cert", "m_ValidOnDate": .date(1_000_000_000)], .success),
        .copy(["class": "cert", "m_ValidOnDate": .date(0)], .notFound),
      ]),
    QueryCase(
      "Trust is not evaluated", "Spec/keychain.md, section 3",
      [.copy(["class": "cert", "m_TrustedOnly": true], .unimplemented)]),
    QueryCase(
      "Trust that is not asked for is not needed", "SecDbQuery.c, query_set_trusted_only",
      [.add(certificate), .copy(["class": "cert", "m_TrustedOnly": false], .success)]),
    QueryCase(
      "A certificate and its private key are an identity", "SecItemDb.c, s3dl_create_select_sql",
      [
        .add(certificate), .add(privateKey),
        .copy(
          attributes(["class": "idnt"]),
          .attributes([
            "certdata": .bytes(sampleCertificate), "klbl": .bytes(keyHash),
            "slnr": .bytes([0x10, 0]),
            "labl": "kcarchive test",
          ])),
      ]),
    QueryCase(
      "A certificate without its key is no identity", "SecItemDb.c, s3dl_create_select_sql",
      [.add(certificate), .copy(["class": "idnt"], .notFound)]),
    QueryCase(
      "A certificate with another key is no identity", "SecItemDb.c: cert.pkhh == keys.klbl",
      [
        .add(certificate), .add(privateKey.merging(["klbl": .bytes([1])]) { $1 }),
        .copy(["class": "idnt"], .notFound),
      ]),
    QueryCase(
      "A certificate with its public key is no identity", "SecItemDb.c: keys.priv == 1",
      [
        .add(certificate), .add(privateKey.merging(["kcls": "0", "priv": false]) { $1 }),
        .copy(["class": "idnt"], .notFound),
      ]),
    QueryCase(
      "An identity whose key is in a foreign group is invisible",
      "SecItemDb.c, SecDbAppendWhereAccessGroups",
      [
        .add(certificate.merging(["agrp": "T.one"]) { $1 }),
        .add(privateKey.merging(["agrp": "T.two"]) { $1 }),
        .copy(["class": "idnt"], .notFound).by("T.one"), .copy(["class": "idnt"], .success),
      ]),
    QueryCase(
      "An identity is found by what its certificate says", "SecItemDb.c, s3dl_create_select_sql",
      [
        .add(certificate), .add(privateKey),
        .copy(["class": "idnt", "slnr": .bytes([0x10, 0])], .success),
        .copy(["class": "idnt", "slnr": .bytes([1])], .notFound),
      ]),
    QueryCase(
      "An identity's data is its key's", "SecItemDb.c, s3dl_query_row",
      [
        .add(certificate), .add(privateKey), .copy(data(["class": "idnt"]), .data([4, 1, 2])),
      ]),
    QueryCase(
      "A key is found by its tag", "SecItem.h, kSecAttrApplicationTag",
      [
        .add(keys(["atag": .bytes(utf8("tag")), "v_Data": .bytes([7])])),
        .copy(data(["class": "keys", "atag": .bytes(utf8("tag"))]), .data([7])),
      ]),
    QueryCase(
      "A key is found by its label", "SecItem.h, kSecAttrApplicationLabel",
      [.add(keys()), .copy(["class": "keys", "klbl": .bytes([1])], .success)]),
  ]

  static let references: [QueryCase] = [
    QueryCase(
      "A persistent reference gives the item", "SecItem.h, kSecValuePersistentRef",
      [
        .add(holding("x", genp(["r_PersistentRef": true])), .reference("genp")),
        .copy(["v_PersistentRef": "<last>", "r_Data": true], .data(utf8("x"))),
      ]),
    QueryCase(
      "A persistent reference lasts through changes", "SecItem.h, kSecValuePersistentRef",
      [
        .add(holding("x", genp(["r_PersistentRef": true])), .reference("genp")),
        .update(genp(), ["acct": "b", "v_Data": .bytes(utf8("y"))]),
        .copy(["v_PersistentRef": "<last>", "r_Data": true], .data(utf8("y"))),
      ]),
    QueryCase(
      "A persistent reference to what was deleted finds nothing", "SecItemDb.c",
      [
        .add(genp(["r_PersistentRef": true]), .reference("genp")), .delete(genp()),
        .copy(["v_PersistentRef": "<last>"], .notFound),
      ]),
    QueryCase(
      "What is added again has another persistent reference", "SecItemDb.c, s3dl_query_add",
      [
        .add(genp(["r_PersistentRef": true]), .reference("genp")), .delete(genp()), .add(genp()),
        .copy(["v_PersistentRef": "<last>"], .notFound),
      ]),
    QueryCase(
      "A persistent reference and attributes are too much", "SecItemDb.c: errSecItemIllegalQuery",
      [
        .add(genp(["r_PersistentRef": true]), .reference("genp")),
        .copy(["v_PersistentRef": "<last>", "acct": "a"], .parameter),
      ]),
    QueryCase(
      "A persistent reference and its class are right", "SecDbQuery.c, query_set_class",
      [
        .add(genp(["r_PersistentRef": true]), .reference("genp")),
        .copy(["class": "genp", "v_PersistentRef": "<last>"], .success),
      ]),
    QueryCase(
      "A persistent reference and another class are refused", "SecDbQuery.c, query_set_class",
      [
        .add(genp(["r_PersistentRef": true]), .reference("genp")),
        .copy(["class": "inet", "v_PersistentRef": "<last>"], .noSuchClass),
      ]),
    QueryCase(
      "A persistent reference that is none is refused", "SecDbQuery.c, query_add_value",
      [.copy(["class": "genp", "v_PersistentRef": .bytes([1, 2, 3])], .parameter)]),
    QueryCase(
      "A persistent reference finds synchronizable items, too", "SecDbQuery.c: q_row_id",
      [
        .add(holding("x", genp(["sync": true, "r_PersistentRef": true])), .reference("genp")),
        .copy(["v_PersistentRef": "<last>", "r_Data": true], .data(utf8("x"))),
      ]),
    QueryCase(
      "A persistent reference to a foreign group's item finds nothing",
      "SecItemDb.c, SecDbAppendWhereAccessGroups",
      [
        .add(genp(["agrp": "T.one", "r_PersistentRef": true]), .reference("genp")),
        .copy(["v_PersistentRef": "<last>"], .notFound).by("T.two"),
      ]),
    QueryCase(
      "An item is updated by its persistent reference", "SecItemDb.c, s3dl_query_update",
      [
        .add(genp(["r_PersistentRef": true]), .reference("genp")),
        .update(["v_PersistentRef": "<last>"], ["labl": "l"]), .copy(genp(["labl": "l"]), .success),
      ]),
    QueryCase(
      "An item is deleted by its persistent reference", "SecItem.h, kSecValuePersistentRef",
      [
        .add(genp(["r_PersistentRef": true]), .reference("genp")), .add(genp(["acct": "b"])),
        .delete(["v_PersistentRef": "<last>"]), .copy(genp(), .notFound),
        .copy(genp(["acct": "b"]), .success),
      ]),
    QueryCase(
      "An item that came with a UUID for references is found by it",
      "SecItem.m, _SecItemParsePersistentRef", typedOnly: true,
      [
        .add(holding("x", genp(["persistref": .bytes([UInt8](repeating: 7, count: 16))]))),
        .copy(
          [
            "v_PersistentRef": .bytes(utf8("genp") + [UInt8](repeating: 7, count: 16)),
            "r_Data": true,
          ],
          .data(utf8("x"))),
      ]),
  ]

  static let protection: [QueryCase] = [
    QueryCase(
      "An item of an unlocked class is locked with the screen",
      "SecItemDb.c: errSecInteractionNotAllowed",
      [
        .add(holding("x", genp(["pdmn": "ak"]))),
        .copy(data(genp()), .interaction).when("locked"), .copy(data(genp()), .data(utf8("x"))),
      ]),
    QueryCase(
      "An item of after first unlock is read behind a locked screen",
      "SecItem.h, kSecAttrAccessibleAfterFirstUnlock",
      [
        .add(holding("x", genp(["pdmn": "ck"]))),
        .copy(data(genp()), .data(utf8("x"))).when("locked"),
        .copy(data(genp()), .interaction).when("beforeFirstUnlock"),
      ]),
    QueryCase(
      "An item that is always accessible is", "SecItem.h, kSecAttrAccessibleAlways",
      [
        .add(holding("x", genp(["pdmn": "dk"]))),
        .copy(data(genp()), .data(utf8("x"))).when("beforeFirstUnlock"),
      ]),
    QueryCase(
      "Nothing is added to a locked class", "SecItemDb.c, ks_encrypt_data",
      [.add(genp(["pdmn": "aku"]), .interaction).when("locked"), .copy(genp(), .notFound)]),
    QueryCase(
      "A locked item is not updated", "SecItemDb.c, s3dl_query_update",
      [.add(genp()), .update(genp(), ["labl": "l"], .interaction).when("locked")]),
    QueryCase(
      "A locked item is deleted", "SecItemDb.c, s3dl_query_delete",
      [.add(genp()), .delete(genp()).when("locked"), .copy(genp(), .notFound)]),
    QueryCase(
      "An access control says what is accessible, too", "SecDbQuery.c, query_set_access_control",
      [
        .add(genp(["accc": .bytes(presence)])),
        .copy(attributes(genp()), .attributes(["pdmn": "akpu"])),
      ]),
    QueryCase(
      "An access control that contradicts accessible is refused",
      "SecDbQuery.c: conflicting kSecAccess and kSecAccessControl",
      [.add(genp(["accc": .bytes(presence), "pdmn": "ck"]), .parameter)]),
    QueryCase(
      "An access control that is none is refused",
      "SecAccessControl.c, SecAccessControlCreateFromData",
      [.add(genp(["accc": .bytes([1, 2])]), .parameter)]),
    QueryCase(
      "An item that asks for presence is not read where nobody may be asked",
      "SecItem.h, kSecUseAuthenticationUIFail",
      [
        .add(holding("x", genp(["accc": .bytes(presence)]))),
        .copy(data(genp(["u_AuthUI": "u_AuthUIF"])), .interaction),
        .copy(genp(["u_AuthUI": "u_AuthUIF"]), .success), .copy(data(genp()), .data(utf8("x"))),
      ]),
    QueryCase(
      "An item that asks for presence is passed over where that is wanted",
      "SecItem.h, kSecUseAuthenticationUISkip",
      [
        .add(holding("x", genp(["accc": .bytes(presence)]))),
        .copy(data(genp(["u_AuthUI": "u_AuthUIS"])), .notFound),
        .add(holding("y", genp(["acct": "b"]))),
        .copy(all(data(["class": "genp", "u_AuthUI": "u_AuthUIS"])), .count(1)),
      ]),
  ]

  /// An access control of `akpu` with the flag of user presence, in DER.
  private static let presence: [UInt8] = [
    0x31, 0x26, 0x30, 0x0C, 0x0C, 0x04, 0x70, 0x72, 0x6F, 0x74, 0x0C, 0x04, 0x61, 0x6B, 0x70, 0x75,
    0x30, 0x16,
    0x0C, 0x03, 0x61, 0x63, 0x6C, 0x31, 0x0F, 0x30, 0x0D, 0x0C, 0x02, 0x6F, 0x64, 0x31, 0x07, 0x30,
    0x05, 0x0C,
    0x00, 0x01, 0x01, 0xFF,
  ]

  /// A distinguished name of organization and common name, in PrintableStrings.
  private static func name(_ organization: String, _ commonName: String) -> [UInt8] {
    func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
      [tag, UInt8(content.count)] + content
    }
    func part(_ type: UInt8, _ text: String) -> [UInt8] {
      element(0x31, element(0x30, [6, 3, 0x55, 4, type] + element(0x13, utf8(text))))
    }
    return element(0x30, part(10, organization) + part(3, commonName))
  }
}
