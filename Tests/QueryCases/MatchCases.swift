// SecItemCopyMatching: which items a query means, and what is given back of them.

extension QueryCase {
  static let matching: [QueryCase] = [
    QueryCase(
      "Nothing matches in an empty keychain", "SecItemDb.c, s3dl_query: errSecItemNotFound",
      [.copy(genp(), .notFound)]),
    QueryCase(
      "Without a class nothing is searched", "SecDbQuery.c, query_get_class",
      [.copy(["acct": "a"], .parameter)]),
    QueryCase(
      "An unknown class is refused", "SecDbQuery.c, query_get_class",
      [.copy(["class": "nope"], .noSuchClass)]),
    QueryCase(
      "A class that is no text is refused", "SecDbQuery.c, query_get_class: class missing",
      untyped: true, [.copy(["class": 1], .parameter)]),
    QueryCase(
      "A class alone means all its items", "SecItem.h, kSecMatchLimitAll",
      [
        .add(genp()), .add(genp(["acct": "b"])), .add(inet()),
        .copy(all(attributes(["class": "genp"])), .count(2)),
      ]),
    QueryCase(
      "One item is found by default", "SecItemServer.c: limit 1",
      [
        .add(genp()), .add(genp(["acct": "b"])),
        .copy(attributes(["class": "genp", "svce": "s"]), .attributes(["svce": "s"])),
      ]),
    QueryCase(
      "A limit of one is not a list", "SecItem.h, kSecMatchLimitOne",
      [
        .add(genp()),
        .copy(attributes(genp(["m_Limit": "m_LimitOne"])), .attributes(["acct": "a"])),
      ]),
    QueryCase(
      "A limit that is a number is the most that are found", "SecDbQuery.c, query_add_match",
      [
        .add(genp()), .add(genp(["acct": "b"])), .add(genp(["acct": "c"])),
        .copy(attributes(["class": "genp", "m_Limit": 2]), .count(2)),
      ]),
    QueryCase(
      "A limit of 1 as a number is not a list", "SecItemDb.c, s3dl_query: q_limit == 1",
      [.add(genp()), .copy(attributes(genp(["m_Limit": 1])), .attributes(["acct": "a"]))]),
    QueryCase(
      "A limit over what there is", "SecDbQuery.c, query_add_match",
      [.add(genp()), .copy(attributes(genp(["m_Limit": 9])), .count(1))]),
    QueryCase(
      "A limit that is another text is refused", "SecDbQuery.c: unsupported match limit",
      untyped: true, [.copy(genp(["m_Limit": "many"]), .parameter)]),
    QueryCase(
      "All of nothing is an error, not an empty list", "SecItemDb.c, s3dl_query",
      [.copy(all(data(genp())), .notFound)]),
    QueryCase(
      "Account and service have to match both", "SecItemDb.c, SecDbAppendWhereAttrs",
      [
        .add(genp()), .copy(genp(["svce": "t"]), .notFound), .copy(genp(["acct": "b"]), .notFound),
      ]),
    QueryCase(
      "An account alone is enough", "KeychainSwift: no service in the query",
      [
        .add(holding("x", genp())), .copy(data(["class": "genp", "acct": "a"]), .data(utf8("x"))),
      ]),
    QueryCase(
      "A service alone is enough", "KeychainAccess, allItems",
      [
        .add(holding("x", genp())), .copy(data(["class": "genp", "svce": "s"]), .data(utf8("x"))),
      ]),
    QueryCase(
      "A generic attribute is a condition", "KeychainItemWrapper: kSecAttrGeneric",
      [
        .add(genp(["gena": .bytes(utf8("id"))])),
        .copy(["class": "genp", "gena": .bytes(utf8("id"))], .success),
        .copy(["class": "genp", "gena": .bytes(utf8("other"))], .notFound),
      ]),
    QueryCase(
      "A label is a condition", "SecItemSchema.c: labl",
      [
        .add(genp(["labl": "l"])), .copy(genp(["labl": "l"]), .success),
        .copy(genp(["labl": "m"]), .notFound),
      ]),
    QueryCase(
      "Accessible is a condition", "SecDbQuery.c, query_add_attribute",
      [
        .add(genp(["pdmn": "ck"])), .copy(genp(["pdmn": "ck"]), .success),
        .copy(genp(["pdmn": "ak"]), .notFound),
      ]),
    QueryCase(
      "A value in a query is no condition", "SecDbQuery.c, query_set_data",
      [.add(holding("x", genp())), .copy(holding("other", genp()), .success)]),
    QueryCase(
      "A missing attribute matches no value of it", "SecItemDb.c, SecDbAppendWhereAttrs",
      [.add(genp()), .copy(genp(["labl": ""]), .notFound)]),
    QueryCase(
      "Classes are apart", "SecItemDb.c: a table a class",
      [.add(genp()), .copy(["class": "inet", "acct": "a"], .notFound)]),
    QueryCase(
      "An attribute of another class is refused", "SecDbItem.c, SecDbAttrWithKey",
      [.copy(inet(["svce": "s"]), .noSuchAttribute)]),
    QueryCase(
      "Conditions that Apple's keychain passes over are passed over",
      "SecDbQuery.c, query_add_match",
      [.add(genp()), .copy(genp(["m_CaseInsensitive": true]), .success)]),
    QueryCase(
      "Issuers are a condition of certificates", "SecItemServer.c: errSecUnsupportedOperation",
      [.copy(genp(["m_Issuers": .list([[0x30, 0]])]), .unimplemented)]),
    QueryCase(
      "A host is a condition of internet passwords", "SecItem.h, kSecMatchHostOrSubdomainOfHost",
      [
        .copy(genp(["m_HostOrSubdomainOfHost": "example.org"]), .unimplemented),
        .add(inet(["srvr": "example.org"])),
        .copy(["class": "inet", "m_HostOrSubdomainOfHost": "www.example.org"], .success),
        .copy(["class": "inet", "m_HostOrSubdomainOfHost": "EXAMPLE.ORG"], .success),
        .copy(["class": "inet", "m_HostOrSubdomainOfHost": "badexample.org"], .notFound),
      ]),
    QueryCase(
      "A date of validity that is none is refused", "SecDbQuery.c, query_add_match", untyped: true,
      [.copy(["class": "cert", "m_ValidOnDate": "today"], .parameter)]),
    QueryCase(
      "Trust that is no boolean is refused", "SecDbQuery.c, query_add_match", untyped: true,
      [.copy(["class": "cert", "m_TrustedOnly": "yes"], .parameter)]),
  ]

  static let returning: [QueryCase] = [
    QueryCase(
      "Nothing asked for is success without a result", "SecItemDb.c, handle_result",
      [.add(holding("x", genp())), .copy(genp(), .nothing)]),
    QueryCase(
      "A return key that is false asks for nothing", "SecDbQuery.c, query_add_return",
      [.add(holding("x", genp())), .copy(genp(["r_Data": false]), .nothing)]),
    QueryCase(
      "Attributes are without the value", "SecItemDb.c, handle_result",
      [
        .add(holding("x", genp())),
        .copy(attributes(genp()), .attributes(["acct": "a", "svce": "s", "v_Data": nil])),
      ]),
    QueryCase(
      "Attributes and data are a dictionary of both", "SecItemDb.c, handle_result",
      [
        .add(holding("x", genp())),
        .copy(data(attributes(genp())), .attributes(["acct": "a", "v_Data": .bytes(utf8("x"))])),
      ]),
    QueryCase(
      "A persistent reference alone is data", "SecItemDb.c, handle_result",
      [.add(genp()), .copy(genp(["r_PersistentRef": true]), .reference("genp"))]),
    QueryCase(
      "A persistent reference and data are a dictionary of both", "SecItemDb.c, handle_result",
      [
        .add(holding("x", genp())),
        .copy(
          data(genp(["r_PersistentRef": true])),
          .attributes(["v_Data": .bytes(utf8("x")), "acct": nil])),
      ]),
    QueryCase(
      "A persistent reference and attributes are a dictionary of both",
      "SecItemDb.c, handle_result",
      [
        .add(holding("x", genp())),
        .copy(
          attributes(genp(["r_PersistentRef": true])), .attributes(["acct": "a", "v_Data": nil])),
      ]),
    QueryCase(
      "All with data are a list of data", "SecItemDb.c; flutter_secure_storage#70",
      [
        .add(holding("x", genp())), .add(holding("y", genp(["acct": "b"]))),
        .copy(all(data(["class": "genp"])), .count(2)),
      ]),
    QueryCase(
      "All with one match is a list of one", "SecItemDb.c, s3dl_query",
      [.add(holding("x", genp())), .copy(all(data(genp())), .count(1))]),
    QueryCase(
      "UUID is never given back", "SecItemDb.c, handle_result",
      [.add(genp()), .copy(data(attributes(genp())), .attributes(["UUID": nil]))]),
    QueryCase(
      "The digest is given back with data only", "SecItemDb.c, handle_result: kSecDbSHA1Attr",
      [
        .add(holding("x", genp())), .copy(attributes(genp()), .attributes(["sha1": nil])),
        .copy(data(attributes(genp())), .attributes(["sha1": .bytes(count: 20)])),
      ]),
    QueryCase(
      "A label, a comment and a description come back as they are", "SecItemSchema.c: flag A",
      [
        .add(genp(["labl": "l", "icmt": "c", "desc": "d"])),
        .copy(attributes(genp()), .attributes(["labl": "l", "icmt": "c", "desc": "d"])),
      ]),
    QueryCase(
      "A generic attribute comes back as data", "SecItemSchema.c: gena",
      [
        .add(genp(["gena": .bytes([0, 255])])),
        .copy(attributes(genp()), .attributes(["gena": .bytes([0, 255])])),
      ]),
    QueryCase(
      "A reference of a password is none", "SecItem.m, SecItemCreateFromAttributeDictionary",
      untyped: true, [.add(genp()), .copy(genp(["r_Ref": true]), .nothing)]),
    QueryCase(
      "A value of every byte comes back", "SecItemDb.c, handle_result",
      [
        .add(genp(["v_Data": .bytes((0...255).map { UInt8($0) })])),
        .copy(data(genp()), .data((0...255).map { UInt8($0) })),
      ]),
  ]

  static let columns: [QueryCase] = [
    QueryCase(
      "A port is a number", "SecDbItem.c, copyNumber",
      [
        .add(inet(["port": 8080])), .copy(attributes(inet()), .attributes(["port": 8080])),
        .copy(inet(["port": "8080"]), .success),
      ]),
    QueryCase(
      "A port that is no number is refused", "SecDbItem.c, copyNumber",
      [.add(inet(["port": "http"]), .parameter)]),
    QueryCase(
      "A date that is text is refused", "SecDbItem.c, copyDate",
      [.add(keys(["sdat": "today"]), .parameter)]),
    QueryCase(
      "An account that is a date is refused", "SecDbItem.c, copyBlob",
      [.add(genp(["acct": .date(1)]), .parameter)]),
    QueryCase(
      "An access group that is bytes of text is text", "SecDbItem.c, copyString",
      [
        .add(genp(["agrp": .bytes(utf8("g"))])),
        .copy(attributes(genp()), .attributes(["agrp": "g"])),
      ]),
    QueryCase(
      "An access group that is no text is refused", "SecDbItem.c, copyString",
      [.add(genp(["agrp": .bytes([255])]), .parameter)]),
    QueryCase(
      "Synchronizable may be a number", "SecDbItem.c, copyNumber",
      [.add(genp(["sync": 1])), .copy(attributes(genp(["sync": 1])), .attributes(["sync": true]))]),
    QueryCase(
      "Synchronizable may be text", "SecDbItem.c, copyNumber",
      [.add(genp(["sync": "1"])), .copy(genp(["sync": true]), .success)]),
    QueryCase(
      "Synchronizable that is another text is refused", "SecDbItem.c, copyNumber",
      [.add(genp(["sync": "maybe"]), .parameter)]),
    QueryCase(
      "A creator and a type are numbers", "SecItem.h, kSecAttrCreator",
      [
        .add(genp(["crtr": 0x6162_6364, "type": 7])),
        .copy(attributes(genp()), .attributes(["crtr": 0x6162_6364, "type": 7])),
      ]),
    QueryCase(
      "A key's tag as text and as data is one", "SecDbItem.c, copyBlob",
      [
        .add(keys(["atag": "org.example"])),
        .copy(["class": "keys", "atag": .bytes(utf8("org.example"))], .success),
      ]),
  ]
}
