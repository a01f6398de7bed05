// SecItemAdd: what it needs, what it fills in, and what is the same item.

extension QueryCase {
  static let adding: [QueryCase] = [
    QueryCase(
      "What was added is found with its value", "SecItemServer.c, _SecItemAdd",
      [.add(holding("x", genp())), .copy(data(genp()), .data(utf8("x")))]),
    QueryCase(
      "An item may have no value", "SecItemDb.c, handle_result: empty data",
      [.add(genp()), .copy(data(genp()), .data([]))]),
    QueryCase(
      "An item may have an empty value", "SecItemDb.c, handle_result",
      [.add(holding("", genp())), .copy(data(genp()), .data([]))]),
    QueryCase(
      "Nothing is given back where nothing was asked for", "SecItemDb.c, s3dl_query_add",
      [.add(genp(), .nothing)]),
    QueryCase(
      "What was asked for is given back: data", "SecItemDb.c, s3dl_query_add",
      [.add(data(holding("x", genp())), .data(utf8("x")))]),
    QueryCase(
      "What was asked for is given back: attributes", "SecItemDb.c, SecDbItemCopyResult",
      [.add(attributes(holding("x", genp())), .attributes(["acct": "a", "v_Data": nil]))]),
    QueryCase(
      "What was asked for is given back: a persistent reference",
      "SecItemDb.c, SecPersistentRefCreateWithItem",
      [.add(genp(["r_PersistentRef": true]), .reference("genp"))]),
    QueryCase(
      "Without a class nothing is added", "SecBasePriv.h, errSecItemClassMissing",
      [.add(["acct": "a"], .parameter)]),
    QueryCase(
      "An unknown class is refused", "SecDbQuery.c, query_get_class",
      [.add(["class": "nope", "acct": "a"], .noSuchClass)]),
    QueryCase(
      "An attribute of another class is refused", "SecDbItem.c, SecDbAttrWithKey",
      [.add(genp(["srvr": "h"]), .noSuchAttribute)]),
    QueryCase(
      "A key of four letters that is no attribute is refused", "SecDbQuery.c, query_applier",
      [.add(genp(["nope": "x"]), .noSuchAttribute)]),
    QueryCase(
      "A key of another length that begins with none of the letters is refused",
      "SecDbQuery.c, query_applier", untyped: true, [.add(genp(["x_Data": "x"]), .parameter)]),
    QueryCase(
      "A key of one letter is refused", "SecDbQuery.c, query_applier: invalid length",
      untyped: true, [.add(genp(["a": "x"]), .parameter)]),
    QueryCase(
      "A class key that is not kSecClass is refused", "SecDbQuery.c, query_add_class",
      untyped: true, [.add(genp(["classy": "genp"]), .parameter)]),
    QueryCase(
      "An unknown key of values is refused", "SecDbQuery.c, query_add_value", untyped: true,
      [.add(genp(["v_Nope": "x"]), .parameter)]),
    QueryCase(
      "An unknown key of use is refused", "SecDbQuery.c, query_add_use", untyped: true,
      [.add(genp(["u_Nope": "x"]), .parameter)]),
    QueryCase(
      "A value that is no data is refused", "SecDbQuery.c, query_set_data", untyped: true,
      [.add(genp(["v_Data": "text"]), .parameter)]),
    QueryCase(
      "A return key that is no boolean is refused", "SecDbQuery.c, query_add_return", untyped: true,
      [.add(genp(["r_Data": 1]), .parameter)]),
    QueryCase(
      "An unknown return key is refused", "SecDbQuery.c, query_add_return", untyped: true,
      [.add(genp(["r_Nope": true]), .parameter)]),
    QueryCase(
      "A limit is not for adding", "SecItemDb.c, s3dl_query_add: errSecItemMatchUnsupported",
      [.add(genp(["m_Limit": "m_LimitOne"]), .parameter), .copy(genp(), .notFound)]),
    QueryCase(
      "A persistent reference is not for adding",
      "SecItemServer.c, _SecItemAdd: errSecValuePersistentRefUnsupported",
      [
        .add(
          ["class": "genp", "v_PersistentRef": .bytes(utf8("genp") + [0, 0, 0, 0, 0, 0, 0, 1])],
          .parameter)
      ]),
    QueryCase(
      "An identity is added as its certificate and its key", "SecItem.m, explode_identity",
      [.add(["class": "idnt", "labl": "x"], .parameter)]),
    QueryCase(
      "Accessible is when unlocked by default", "SecDbQuery.c, query_infer_keyclass",
      [.add(genp()), .copy(attributes(genp()), .attributes(["pdmn": "ak"]))]),
    QueryCase(
      "Items of the push service are always accessible on their device",
      "SecDbQuery.c, query_infer_keyclass",
      [
        .add(genp(["agrp": "com.apple.apsd"])),
        .copy(attributes(genp()), .attributes(["pdmn": "dku"])),
      ]),
    QueryCase(
      "Accessible is kept as given", "SecItem.h, kSecAttrAccessible",
      [
        .add(genp(["pdmn": "cku"])), .copy(attributes(genp()), .attributes(["pdmn": "cku"])),
      ]),
    QueryCase(
      "Accessible is one of Apple's values", "SecAccessControl.c, SecAccessControlSetProtection",
      [.add(genp(["pdmn": "zz"]), .parameter)]),
    QueryCase(
      "An item without account and service has empty ones", "SecItemDb.c, query_pre_add",
      [
        .add(["class": "genp"]),
        .copy(attributes(["class": "genp"]), .attributes(["acct": "", "svce": ""])),
        .copy(["class": "genp", "acct": "", "svce": ""], .success),
      ]),
    QueryCase(
      "An item is not synchronizable by default", "SecItemDb.c, query_pre_add",
      [
        .add(genp()),
        .copy(attributes(genp()), .attributes(["sync": false, "tomb": false])),
      ]),
    QueryCase(
      "Dates that are given are passed over", "SecItemDb.c, query_pre_add: force_date",
      [
        .add(genp(["cdat": .date(1), "mdat": .date(2)])),
        .copy(genp(["cdat": .date(1)]), .notFound), .copy(genp(["mdat": .date(2)]), .notFound),
      ]),
    QueryCase(
      "Both dates of a new item are the same", "SecItemDb.c, query_pre_add",
      [.add(genp()), .copy(attributes(genp()), .attributes(["cdat": .sameAs("mdat")]))]),
  ]

  /// What makes two items the same, and what does not: the primary keys of SecItemSchema.c.
  static let primaryKeys: [QueryCase] =
    [
      QueryCase(
        "The same account and service again is a duplicate", "SecItemServer.c: errSecDuplicateItem",
        [
          .add(holding("1", genp())), .add(holding("2", genp()), .duplicate),
          .copy(data(genp()), .data(utf8("1"))),
        ]),
      QueryCase(
        "Two items without service and of one account are the same", "KeychainSwift: no service",
        [
          .add(["class": "genp", "acct": "k"]), .add(["class": "genp", "acct": "k"], .duplicate),
        ]),
      QueryCase(
        "Text and its bytes are one account", "SecDbItem.c, copyBlob",
        [.add(genp()), .add(genp(["acct": .bytes(utf8("a"))]), .duplicate)]),
      QueryCase(
        "Case counts", "SecItemSchema.c: SHA-1 of the bytes",
        [.add(genp()), .add(genp(["acct": "A"])), .add(genp(["svce": "S"]))]),
      QueryCase(
        "Composed and decomposed letters are two accounts", "SecItemSchema.c: SHA-1 of the bytes",
        [.add(genp(["acct": "\u{E9}"])), .add(genp(["acct": "e\u{301}"]))]),
      QueryCase(
        "A protocol as text and as its number is one", "SecDbItem.c, SecDbItemImportMigrate",
        [
          .add(inet(["ptcl": "htps"])), .add(inet(["ptcl": 0x6874_7073]), .duplicate),
        ]),
      QueryCase(
        "A class of keys as text and as its number is one", "SecDbItem.c, copyNumber",
        [.add(keys()), .add(keys(["kcls": 1, "type": 42]), .duplicate)]),
      QueryCase(
        "The same certificate again is a duplicate", "SecItemSchema.c: ctyp issr slnr",
        [
          .add(["class": "cert", "v_Data": .bytes(sampleCertificate)]),
          .add(["class": "cert", "v_Data": .bytes(sampleCertificate)], .duplicate),
        ]),
    ]
    + [
      ("acct", "b"), ("svce", "t"), ("agrp", "g"), ("sync", true), ("tkid", "token"),
      ("vwht", "view"), ("ggrp", "group"),
    ].map { (column: String, value: QueryValue) in
      distinct("genp", column, genp(), value)
    }
    + [
      ("acct", "b"), ("srvr", "i"), ("sdmn", "d"), ("ptcl", "htps"), ("atyp", "http"),
      ("port", 443), ("path", "/p"), ("agrp", "g"), ("sync", true),
    ].map { (column: String, value: QueryValue) in
      distinct("inet", column, inet(), value)
    }
    + [
      ("klbl", .bytes([2])), ("kcls", "0"), ("atag", .bytes([3])), ("type", "73"), ("crtr", 1),
      ("bsiz", 256), ("esiz", 256), ("sdat", .date(1)), ("edat", .date(1)), ("agrp", "g"),
    ].map { (column: String, value: QueryValue) in
      distinct("keys", column, keys(), value)
    }
    + [
      ("labl", "x"), ("gena", .bytes([1])), ("desc", "x"), ("icmt", "x"), ("crtr", 1), ("type", 1),
      ("invi", true), ("nega", true), ("pdmn", "ck"), ("alis", "x"), ("scrp", 1), ("cusi", true),
    ].map { (column: String, value: QueryValue) in
      same("genp", column, genp(), value)
    }
    + [("labl", "x"), ("desc", "x"), ("icmt", "x"), ("pdmn", "dk")].map {
      (column: String, value: QueryValue) in same("inet", column, inet(), value)
    }
    + [("labl", "x"), ("perm", true), ("priv", true), ("encr", true)].map {
      (column: String, value: QueryValue) in same("keys", column, keys(), value)
    }

  private static func distinct(
    _ itemClass: String, _ column: String, _ item: QueryDictionary, _ value: QueryValue
  ) -> QueryCase {
    let any: QueryDictionary = ["sync": "syna", "r_Attributes": true]
    return QueryCase(
      "\(itemClass): another \(column) is another item", "SecItemSchema.c: flag P",
      [
        .add(item), .add(item.merging([column: value]) { $1 }),
        .copy(all(["class": .text(itemClass)].merging(any) { $1 }), .count(2)),
      ])
  }

  private static func same(
    _ itemClass: String, _ column: String, _ item: QueryDictionary, _ value: QueryValue
  ) -> QueryCase {
    QueryCase(
      "\(itemClass): another \(column) is the same item", "SecItemSchema.c: no flag P",
      [.add(item), .add(item.merging([column: value]) { $1 }, .duplicate)])
  }
}
