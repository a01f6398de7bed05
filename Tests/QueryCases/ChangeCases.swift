// SecItemUpdate and SecItemDelete, synchronizable items and their tombstones, access groups.

extension QueryCase {
  static let updating: [QueryCase] = [
    QueryCase(
      "A value is changed", "SecItemDb.c, s3dl_query_update",
      [
        .add(holding("x", genp())), .update(genp(), ["v_Data": .bytes(utf8("y"))]),
        .copy(data(genp()), .data(utf8("y"))),
      ]),
    QueryCase(
      "An attribute is changed and the value stays", "SecItemDb.c, SecDbItemCopyWithUpdates",
      [
        .add(holding("x", genp())), .update(genp(), ["labl": "l"]),
        .copy(data(attributes(genp())), .attributes(["labl": "l", "v_Data": .bytes(utf8("x"))])),
      ]),
    QueryCase(
      "A value is changed and attributes stay", "SecItemDb.c, SecDbItemCopyWithUpdates",
      [
        .add(holding("x", genp(["labl": "l"]))),
        .update(genp(), ["v_Data": .bytes(utf8("y"))]),
        .copy(data(attributes(genp())), .attributes(["labl": "l", "v_Data": .bytes(utf8("y"))])),
      ]),
    QueryCase(
      "A primary key is changed", "SecItemDb.c, s3dl_query_update",
      [
        .add(holding("x", genp())), .update(genp(), ["acct": "b"]), .copy(genp(), .notFound),
        .copy(data(genp(["acct": "b"])), .data(utf8("x"))),
      ]),
    QueryCase(
      "What is not there is not updated", "SecItemDb.c: no items updated",
      [.update(genp(), ["labl": "l"], .notFound)]),
    QueryCase(
      "All that match are updated", "SecItemServer.c, _SecItemUpdate: kSecMatchUnlimited",
      [
        .add(genp()), .add(genp(["acct": "b"])),
        .update(["class": "genp", "svce": "s"], ["labl": "l"]),
        .copy(all(attributes(["class": "genp", "labl": "l"])), .count(2)),
      ]),
    QueryCase(
      "An update that makes two items the same changes none", "SecItemDb.c, s3dl_query_update",
      [
        .add(holding("1", genp())), .add(holding("2", genp(["acct": "b"]))),
        .update(["class": "genp", "svce": "s"], ["acct": "c"], .duplicate),
        .copy(data(genp()), .data(utf8("1"))), .copy(data(genp(["acct": "b"])), .data(utf8("2"))),
      ]),
    QueryCase(
      "An update to the key of another item is a collision", "SecItemDb.c, s3dl_query_update",
      [
        .add(genp()), .add(genp(["acct": "b"])), .update(genp(), ["acct": "b"], .duplicate),
        .copy(genp(), .success),
      ]),
    QueryCase(
      "An update to the key that an item has is none", "SecItemDb.c, s3dl_query_update",
      [.add(genp()), .update(genp(), ["acct": "a"]), .copy(genp(), .success)]),
    QueryCase(
      "The date of modification is that of the update", "SecItemDb.c, query_pre_update",
      [
        .add(genp()), .update(genp(), ["mdat": .date(1)]),
        .copy(genp(["mdat": .date(1)]), .notFound),
      ]),
    QueryCase(
      "The date of creation can be changed", "SecItemDb.c, query_pre_update: mdat only",
      [
        .add(genp()), .update(genp(), ["cdat": .date(1)]),
        .copy(genp(["cdat": .date(1)]), .success),
      ]),
    QueryCase(
      "An update gives no data back", "SecItemServer.c: errSecReturnDataUnsupported",
      [.add(genp()), .update(data(genp()), ["labl": "l"], .parameter)]),
    QueryCase(
      "An update gives no attributes back", "SecItemServer.c: errSecReturnAttributesUnsupported",
      [.add(genp()), .update(attributes(genp()), ["labl": "l"], .parameter)]),
    QueryCase(
      "An update gives no persistent reference back", "SecItemServer.c, _SecItemUpdate",
      [.add(genp()), .update(genp(["r_PersistentRef": true]), ["labl": "l"], .parameter)]),
    QueryCase(
      "A limit is not for updating", "SecItemDb.c: errSecItemMatchUnsupported",
      [.add(genp()), .update(all(genp()), ["labl": "l"], .parameter)]),
    QueryCase(
      "An attribute of another class is refused", "SecDbQuery.c, query_update_applier",
      [.add(genp()), .update(genp(), ["srvr": "h"], .noSuchAttribute)]),
    QueryCase(
      "A class can't be changed", "SecDbQuery.c, query_update_applier: no such attribute",
      untyped: true, [.add(genp()), .update(genp(), ["class": "inet"], .noSuchAttribute)]),
    QueryCase(
      "A return key is no change", "SecDbQuery.c, query_update_applier", untyped: true,
      [.add(genp()), .update(genp(), ["r_Data": true], .noSuchAttribute)]),
    QueryCase(
      "A sharing group can't be changed", "SecItemServer.c, _SecItemUpdate: ggrp",
      [.add(genp()), .update(genp(), ["ggrp": "g"], .parameter)]),
    QueryCase(
      "What is said of the user is passed over", "SecDbQuery.c: refusing to update musr",
      [.add(genp()), .update(genp(), ["musr": .bytes([1])]), .copy(genp(), .success)]),
    QueryCase(
      "A change of nothing is one of the date", "SecItemDb.c, query_pre_update",
      [.add(genp()), .update(genp(), [:]), .copy(genp(), .success)]),
    QueryCase(
      "A value of a wrong type is refused", "SecDbItem.c, copyBlob",
      [.add(genp()), .update(genp(), ["labl": .date(1)], .parameter)]),
    QueryCase(
      "Accessible is changed", "UICKeyChainStore, Valet: kSecAttrAccessible in updates",
      [
        .add(holding("x", genp())), .update(genp(), ["pdmn": "dku"]),
        .copy(attributes(genp()), .attributes(["pdmn": "dku"])),
      ]),
    QueryCase(
      "An item becomes synchronizable", "SecItem.h, kSecAttrSynchronizable",
      [
        .add(genp()), .update(genp(), ["sync": true]), .copy(genp(), .notFound),
        .copy(genp(["sync": true]), .success),
      ]),
    QueryCase(
      "An identity is changed as its halves", "SecItem.m, explode_identity",
      [.update(["class": "idnt"], ["labl": "l"], .parameter)]),
  ]

  static let deleting: [QueryCase] = [
    QueryCase(
      "What was deleted is gone", "SecItemDb.c, s3dl_query_delete",
      [.add(holding("x", genp())), .delete(genp()), .copy(genp(), .notFound)]),
    QueryCase(
      "What was deleted can be added again", "SecItemDb.c, s3dl_query_delete",
      [
        .add(holding("x", genp())), .delete(genp()), .add(holding("y", genp())),
        .copy(data(genp()), .data(utf8("y"))),
      ]),
    QueryCase(
      "What is not there is not deleted", "SecItemDb.c: errSecItemNotFound",
      [.delete(genp(), .notFound)]),
    QueryCase(
      "All that match are deleted", "SecItemServer.c, _SecItemDelete: kSecMatchUnlimited",
      [
        .add(genp()), .add(genp(["acct": "b"])), .add(genp(["svce": "t"])),
        .delete(["class": "genp", "svce": "s"]),
        .copy(all(attributes(["class": "genp"])), .count(1)),
      ]),
    QueryCase(
      "A class alone deletes all of it", "KeychainAccess, removeAll",
      [
        .add(genp()), .add(inet()), .delete(["class": "genp"]),
        .copy(["class": "genp"], .notFound), .copy(inet(), .success),
      ]),
    QueryCase(
      "A limit is not for deleting", "SecItemServer.c: errSecMatchLimitUnsupported",
      [.add(genp()), .delete(all(genp()), .parameter), .copy(genp(), .success)]),
    QueryCase(
      "Other conditions are not for deleting", "SecItemServer.c: errSecItemMatchUnsupported",
      [.add(genp()), .delete(genp(["m_CaseInsensitive": true]), .parameter)]),
    QueryCase(
      "Without a class nothing is deleted", "SecDbQuery.c, query_get_class",
      [.delete(["acct": "a"], .parameter)]),
    QueryCase(
      "A value in a query is no condition", "SecDbQuery.c, query_set_data",
      [.add(holding("x", genp())), .delete(holding("other", genp())), .copy(genp(), .notFound)]),
    QueryCase(
      "An attribute of another class is refused", "SecDbItem.c, SecDbAttrWithKey",
      [.delete(genp(["port": 1]), .noSuchAttribute)]),
  ]

  static let synchronizing: [QueryCase] = [
    QueryCase(
      "A query without synchronizable finds no synchronizable item",
      "SecDbQuery.c, query_create_with_limit",
      [.add(genp(["sync": true])), .copy(genp(), .notFound)]),
    QueryCase(
      "A query for synchronizable items finds no other", "SecItem.h, kSecAttrSynchronizable",
      [.add(genp()), .copy(genp(["sync": true]), .notFound)]),
    QueryCase(
      "Any means both", "SecItem.h, kSecAttrSynchronizableAny",
      [
        .add(genp()), .add(genp(["sync": true])),
        .copy(all(attributes(genp(["sync": "syna"]))), .count(2)),
      ]),
    QueryCase(
      "Any, when adding, is not synchronizable", "SecDbQuery.c, query_add_attribute_with_desc",
      [
        .add(genp(["sync": "syna"])), .copy(attributes(genp()), .attributes(["sync": false])),
      ]),
    QueryCase(
      "The trap: deleted without synchronizable, then added", "SAMKeychain: -25300, then -25299",
      [
        .add(genp(["sync": true])), .delete(genp(), .notFound),
        .add(genp(["sync": true]), .duplicate),
      ]),
    QueryCase(
      "An update without synchronizable finds no synchronizable item",
      "SecDbQuery.c, query_create_with_limit",
      [.add(genp(["sync": true])), .update(genp(), ["labl": "l"], .notFound)]),
    QueryCase(
      "Any deletes both", "SecItem.h, kSecAttrSynchronizableAny",
      [
        .add(genp()), .add(genp(["sync": true])), .delete(genp(["sync": "syna"])),
        .copy(genp(["sync": "syna"]), .notFound),
      ]),
    QueryCase(
      "A deleted synchronizable item leaves a tombstone", "SecItemDb.c, s3dl_should_make_tombstone",
      [
        .add(holding("x", genp(["sync": true]))), .delete(genp(["sync": true])),
        .copy(genp(["sync": true]), .notFound),
        .copy(
          attributes(genp(["sync": true, "tomb": true])),
          .attributes(["tomb": true, "acct": "a", "svce": "s"])),
      ]),
    QueryCase(
      "A tombstone has no value", "SecDbItem.c, SecDbItemCopyTombstone",
      [
        .add(holding("x", genp(["sync": true, "labl": "l"]))), .delete(genp(["sync": true])),
        .copy(
          data(attributes(genp(["sync": true, "tomb": true]))),
          .attributes(["v_Data": nil, "labl": nil])),
      ]),
    QueryCase(
      "A deleted item that is not synchronizable leaves none",
      "SecItemDb.c, s3dl_should_make_tombstone",
      [.add(genp()), .delete(genp()), .copy(genp(["tomb": true]), .notFound)]),
    QueryCase(
      "An item is added over its tombstone", "SecDbItem.c, SecDbItemInsert",
      [
        .add(holding("x", genp(["sync": true]))), .delete(genp(["sync": true])),
        .add(holding("y", genp(["sync": true]))),
        .copy(data(genp(["sync": true])), .data(utf8("y"))),
        .copy(genp(["sync": true, "tomb": true]), .notFound),
      ]),
    QueryCase(
      "A tombstone is not deleted twice", "SecItemDb.c, s3dl_query_delete",
      [
        .add(genp(["sync": true])), .delete(genp(["sync": true])),
        .delete(genp(["sync": true]), .notFound),
      ]),
    QueryCase(
      "A tombstone that is asked for is deleted for good",
      "SecItemDb.c, s3dl_should_make_tombstone",
      [
        .add(genp(["sync": true])), .delete(genp(["sync": true])),
        .delete(genp(["sync": true, "tomb": true])),
        .copy(genp(["sync": true, "tomb": true]), .notFound),
      ]),
    QueryCase(
      "An update leaves tombstones alone", "SecItemDb.c, s3dl_query_update",
      [
        .add(genp(["sync": true])), .delete(genp(["sync": true])),
        .update(genp(["sync": true]), ["labl": "l"], .notFound),
      ]),
    QueryCase(
      "A synchronizable item that moves leaves a tombstone", "SecDbItem.c, SecDbItemDoUpdate",
      [
        .add(holding("x", genp(["sync": true]))),
        .update(genp(["sync": true]), ["acct": "b"]),
        .copy(data(genp(["sync": true, "acct": "b"])), .data(utf8("x"))),
        .copy(genp(["sync": true, "tomb": true]), .success),
      ]),
    QueryCase(
      "An item moves over a tombstone", "SecDbItem.c, SecDbItemDoUpdate",
      [
        .add(genp(["sync": true])), .delete(genp(["sync": true])),
        .add(holding("x", genp(["sync": true, "acct": "b"]))),
        .update(genp(["sync": true, "acct": "b"]), ["acct": "a"]),
        .copy(data(genp(["sync": true])), .data(utf8("x"))),
      ]),
  ]

  static let sharing: [QueryCase] = [
    QueryCase(
      "An item is added to the first group", "SecItemServer.c, _SecItemAdd",
      [
        .add(genp()).by("T.app", "T.shared"),
        .copy(attributes(genp()), .attributes(["agrp": "T.app"])),
      ]),
    QueryCase(
      "An item is added to a group that is named", "SecItem.h, kSecAttrAccessGroup",
      [
        .add(genp(["agrp": "T.shared"])).by("T.app", "T.shared"),
        .copy(attributes(genp()), .attributes(["agrp": "T.shared"])),
      ]),
    QueryCase(
      "A foreign group is refused when adding", "SecItemServer.c: errSecMissingEntitlement",
      [.add(genp(["agrp": "T.other"]), .missingEntitlement).by("T.app")]),
    QueryCase(
      "A foreign group is refused when searching", "SecItemServer.c, SecItemServerCopyMatching",
      [.copy(genp(["agrp": "T.other"]), .missingEntitlement).by("T.app")]),
    QueryCase(
      "A foreign group is refused when updating", "SecItemServer.c, _SecItemUpdate",
      [.update(genp(["agrp": "T.other"]), ["labl": "l"], .missingEntitlement).by("T.app")]),
    QueryCase(
      "A foreign group is refused when deleting", "SecItemServer.c, _SecItemDelete",
      [.delete(genp(["agrp": "T.other"]), .missingEntitlement).by("T.app")]),
    QueryCase(
      "An item of a foreign group is invisible", "SecItemDb.c, SecDbAppendWhereAccessGroups",
      [
        .add(genp(["agrp": "T.other"])), .copy(genp(), .notFound).by("T.app"),
        .update(genp(), ["labl": "l"], .notFound).by("T.app"),
        .delete(genp(), .notFound).by("T.app"), .copy(genp(), .success),
      ]),
    QueryCase(
      "An item of a shared group is seen by both", "Apple: sharing access to keychain items",
      [
        .add(holding("x", genp(["agrp": "T.shared"]))).by("T.one", "T.shared"),
        .copy(data(genp()), .data(utf8("x"))).by("T.two", "T.shared"),
      ]),
    QueryCase(
      "The same item may be in two groups", "SecItemSchema.c: agrp is in the primary key",
      [
        .add(holding("1", genp())).by("T.one"), .add(holding("2", genp())).by("T.two"),
        .copy(data(genp()), .data(utf8("1"))).by("T.one"),
        .copy(data(genp()), .data(utf8("2"))).by("T.two"),
        .copy(all(data(genp())), .count(2)).by("T.one", "T.two"),
      ]),
    QueryCase(
      "A group that is named is the only one that is searched",
      "SecItemServer.c, SecItemServerCopyMatching",
      [
        .add(genp(["agrp": "T.one"])), .add(genp(["agrp": "T.two"])),
        .copy(all(attributes(genp(["agrp": "T.two"]))), .count(1)).by("T.one", "T.two"),
      ]),
    QueryCase(
      "A star sees all groups", "SecItemServer.c: the special access group",
      [
        .add(genp(["agrp": "T.one"])), .add(genp(["agrp": "T.two"])),
        .copy(all(attributes(genp())), .count(2)).by("*"),
      ]),
    QueryCase(
      "Nobody may add", "SecItemServer.c: no access groups",
      [.add(genp(), .missingEntitlement).byNobody]
    ),
    QueryCase(
      "Nobody may search", "SecItemServer.c: no access groups",
      [.copy(genp(), .missingEntitlement).byNobody]),
    QueryCase(
      "Nobody may update", "SecItemServer.c: no access groups",
      [.update(genp(), ["labl": "l"], .missingEntitlement).byNobody]),
    QueryCase(
      "Nobody may delete", "SecItemServer.c: no access groups",
      [.delete(genp(), .missingEntitlement).byNobody]),
    QueryCase(
      "An item moves to another group of the caller", "SecItemServer.c, _SecItemUpdate",
      [
        .add(genp()).by("T.one", "T.two"),
        .update(genp(), ["agrp": "T.two"]).by("T.one", "T.two"),
        .copy(genp(), .success).by("T.two"), .copy(genp(), .notFound).by("T.one"),
      ]),
    QueryCase(
      "An item does not move to a foreign group", "SecItemServer.c, _SecItemUpdate",
      [
        .add(genp()).by("T.one"),
        .update(genp(), ["agrp": "T.two"], .missingEntitlement).by("T.one"),
        .copy(genp(), .success).by("T.one"),
      ]),
    QueryCase(
      "Deleting leaves what others have", "SecItemDb.c, s3dl_query_delete",
      [
        .add(genp()).by("T.one"), .add(genp()).by("T.two"), .delete(genp()).by("T.one"),
        .copy(genp(), .success).by("T.two"), .copy(genp(), .notFound).by("T.one"),
      ]),
    QueryCase(
      "Files are for who sees all groups", "Spec/keychain.md, section 2", typedOnly: true,
      [
        .add(["class": "file", "path": "a", "fkin": "file"], .missingEntitlement).by("T.one"),
        .add(["class": "file", "path": "a", "fkin": "file"]).by("T.one", "*"),
        .copy(["class": "file", "path": "a"], .notFound).by("T.one"),
        .copy(["class": "file", "path": "a"], .success),
      ]),
    QueryCase(
      "Groups are compared byte by byte", "SecItemSchema.c: agrp",
      [.add(genp(["agrp": "T.One"])), .copy(genp(), .notFound).by("T.one")]),
  ]
}
