// The library as its users see it: items in, items and values out.

import ArchiveContainer
import ArchiveCrypto
import ByteCoding
import KeychainModel
import TestSupport
import Testing

@testable import KeychainArchive

/// A packed keychain in memory.
struct PackedKeychain {
  let device = MemoryDevice()
  let credentials: [ArchiveCredential]
  let summary: WriteSummary

  static func keyFile(_ byte: UInt8 = 1) throws -> ArchiveCredential {
    try .keyFile([UInt8](repeating: byte, count: 32))
  }

  init(
    _ items: [(KeychainItem, [UInt8]?)], credentials: [ArchiveCredential]? = nil,
    options: WriteOptions = WriteOptions()
  ) throws {
    self.credentials = try credentials ?? [Self.keyFile()]
    var writer = try ArchiveWriter(to: device, credentials: self.credentials, options: options)
    for (origin, (item, value)) in items.enumerated() {
      if let value {
        try writer.append(item, value: value.bytes, origin: UInt32(origin))
      } else {
        try writer.append(item, value: nil, origin: UInt32(origin))
      }
    }
    let readBack = writer.readBack
    summary = try writer.finish()
    try readBack.run(summary, depth: .everything)
  }

  func open() throws -> KeychainArchive {
    try KeychainArchive.open(device, credentials: credentials, options: OpenOptions())
  }
}

extension KeychainItem {
  static func password(
    _ account: String, _ service: String, group: String? = nil
  ) -> KeychainItem {
    var item = KeychainItem(
      .genericPassword, [.account: .text(account), .service: .text(service)])
    if let group { item[.accessGroup] = .text(group) }
    return item
  }
}

/// The code of the `ArchiveError` that `body` throws; nil where it throws none.
func code(_ body: () throws -> Void) -> ArchiveError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? ArchiveError)?.code ?? ArchiveError.Code("of another type")
  }
}

@Suite("Archives")
struct ArchiveTests {
  private static let items: [(KeychainItem, [UInt8]?)] = [
    (.password("alice", "mail", group: "one"), Array("s3cret".utf8)),
    (.password("alice", "mail", group: "two"), Array("other".utf8)),
    (.password("bob", "mail"), []),
    (
      KeychainItem(
        .internetPassword,
        [.account: .text("alice"), .server: .text("example.com"), .port: .integer(443)]),
      [0, 255]
    ),
    (KeychainItem(.certificate, [.issuer: .bytes([1, 2]), .serialNumber: .bytes([3])]), [9]),
    (KeychainItem(.key, [.applicationLabel: .bytes([7]), .label: .text("a key")]), nil),
    (KeychainItem(.file, [.path: .text("a/b")]), [UInt8](repeating: 4, count: 5000)),
    (
      KeychainItem(ItemClass(rawValue: "zzzz"), [.label: .text("unknown"), .account: .text("x")]),
      [5]
    ),
    (KeychainItem(ItemClass(rawValue: ""), [:]), nil),
  ]

  @Test("items come back with their attributes and values, in the order they were packed")
  func roundTrip() throws {
    let keychain = try PackedKeychain(Self.items)
    #expect(keychain.summary.itemCount == 9 && keychain.summary.commitNumber == 1)
    #expect(keychain.summary.byteCount == UInt64(keychain.device.contents.count))
    let archive = try keychain.open()
    #expect(archive.itemCount == 9 && archive.commitNumber == 1)
    let found = try archive.items(matching: AttributeQuery())
    #expect(found.map(\.item) == Self.items.map(\.0))
    #expect(found.map(\.hasValue) == Self.items.map { $0.1 != nil })
    #expect(try found.map { try archive.value(of: $0) } == Self.items.map(\.1))
    #expect(found.map(\.valueByteCount) == Self.items.map { UInt64($0.1?.count ?? 0) })
  }

  @Test("items stream out with their values; long ones on request")
  func stream() throws {
    let archive = try PackedKeychain(Self.items).open()
    var stream = ItemStream(archive, valueLimit: 100)
    var value = SecretBytes(count: 0)
    var number = 0
    while let item = try stream.next(value: &value) {
      #expect(item.item.item == Self.items[number].0 && !item.mayBeOutdated)
      let expected = Self.items[number].1
      #expect(item.hasValueAtHand == (expected.map { $0.count <= 100 } ?? false))
      if item.hasValueAtHand {
        let isEqual = value.bytes.array(at: 0, count: value.count) == expected
        #expect(isEqual)
      }
      number += 1
    }
    #expect(number == 9 && stream.losses.isEmpty)
  }

  static let queries: [(AttributeQuery, [Int], Bool)] = [
    (
      AttributeQuery(.genericPassword, [.account: .text("alice"), .service: .text("mail")]),
      [0, 1], true
    ),
    (AttributeQuery(nil, [.account: .text("alice"), .service: .text("mail")]), [0, 1], true),
    (
      AttributeQuery(nil, [.account: .bytes(Array("alice".utf8)), .service: .text("mail")]),
      [0, 1], true
    ),
    (
      AttributeQuery(
        nil, [.account: .text("alice"), .service: .text("mail"), .accessGroup: .text("two")]),
      [1], true
    ),
    (AttributeQuery(nil, [.account: .text("alice"), .service: .text("none")]), [], true),
    (AttributeQuery(nil, [.account: .text("alice"), .server: .text("example.com")]), [3], true),
    (
      AttributeQuery(.internetPassword, [.account: .text("alice"), .server: .text("example.com")]),
      [3], true
    ),
    (
      AttributeQuery(.certificate, [.issuer: .bytes([1, 2]), .serialNumber: .bytes([3])]), [4], true
    ),
    (AttributeQuery(.key, [.applicationLabel: .bytes([7])]), [5], true),
    (AttributeQuery(.file, [.path: .text("a/b")]), [6], true),
    (AttributeQuery(.file, [.path: .text("a")]), [], true),
    (AttributeQuery(ItemClass(rawValue: "zzzz"), [.account: .text("x")]), [7], true),
    (AttributeQuery(ItemClass(rawValue: ""), [:]), [8], true),
    (AttributeQuery(.genericPassword), [0, 1, 2], false),
    (AttributeQuery(nil, [.account: .text("alice")]), [0, 1, 3], false),
    (AttributeQuery(nil, [.service: .text("mail")]), [0, 1, 2], false),
    (AttributeQuery(nil, [.label: .text("a key")]), [5], false),
    (AttributeQuery(nil, [AttributeKey(column: "nobody knows it"): .text("x")]), [], false),
    (AttributeQuery(nil, [.port: .integer(443)]), [3], false),
  ]

  @Test("searches find what matches, by the index where it can tell", arguments: queries)
  func searches(query: AttributeQuery, expected: [Int], usesIndex: Bool) throws {
    let archive = try PackedKeychain(Self.items).open()
    let found = try archive.items(matching: query).map(\.item)
    let wanted = expected.map { Self.items[$0].0 }
    // The index has its own order.
    #expect(found.count == wanted.count && wanted.allSatisfy { found.contains($0) })
    #expect(archive.canLookUp(query) == usesIndex)
  }

  @Test("attributes of types that this version does not know come back as they were")
  func unknownAttributes() throws {
    let item = KeychainItem(
      .genericPassword,
      [
        .account: .text("a"), AttributeKey(column: "zz"): .unknown(type: 200, bytes: [1, 2]),
        AttributeKey(column: "a long attribute's name"): .propertyList(Array("bplist00".utf8)),
        .creationDate: .date(123.5), AttributeKey(column: "r"): .real(-0.0),
        AttributeKey(column: "i"): .integer(.min), AttributeKey(column: "b"): .boolean(true),
      ])
    let archive = try PackedKeychain([(item, nil)]).open()
    #expect(try archive.items(matching: AttributeQuery()).map(\.item) == [item])
    let query = AttributeQuery(
      nil, [AttributeKey(column: "zz"): .unknown(type: 200, bytes: [1, 2])])
    #expect(try archive.items(matching: query).count == 1)
  }

  @Test("two items of one primary key are refused with both origins and a name")
  func duplicates() throws {
    let items =
      [
        (KeychainItem.password("a", "s"), nil), (.password("b", "s"), nil),
        (.password("a", "t"), nil),
        (KeychainItem.password("b", "s"), [1]),
      ] as [(KeychainItem, [UInt8]?)]
    do {
      _ = try PackedKeychain(items)
      Issue.record("it was packed")
    } catch let error as ArchiveError {
      #expect(error.code == .duplicateItem)
      #expect(error.origins == [1, 3])
      let name = try #require(error.item)
      #expect(name.contains("b"))
    }
  }

  @Test("the same account in two access groups is two items")
  func accessGroups() throws {
    let archive = try PackedKeychain(Array(Self.items[..<2])).open()
    let query = AttributeQuery(nil, [.account: .text("alice"), .service: .text("mail")])
    let found = try archive.items(matching: query)
    #expect(
      Set(found.compactMap { try? archive.value(of: $0) }) == [
        Array("s3cret".utf8), Array("other".utf8),
      ])
  }

  @Test("a wrong credential is told as one, whatever its kind")
  func wrongCredential() throws {
    let keychain = try PackedKeychain([])
    for wrong in [try PackedKeychain.keyFile(2), try .passphrase([0x61])] {
      do {
        _ = try KeychainArchive.open(keychain.device, credentials: [wrong], options: OpenOptions())
        Issue.record("it opened")
      } catch {
        #expect(error.code == .wrongCredential)
        #expect(error.hint?.contains("the file itself is sound") == true)
      }
    }
  }

  @Test("each of several credentials opens it")
  func severalCredentials() throws {
    var options = WriteOptions()
    options.cost = .argon2id(memory: 19 << 10, passes: 2, lanes: 1)
    options.label = "ours"
    let credentials = [
      try PackedKeychain.keyFile(1), try PackedKeychain.keyFile(2), try .passphrase([0x61, 0x62]),
    ]
    let keychain = try PackedKeychain([Self.items[0]], credentials: credentials, options: options)
    for (number, credential) in credentials.enumerated() {
      let archive = try KeychainArchive.open(
        keychain.device, credentials: [credential], options: OpenOptions())
      #expect(archive.opened.header.slotID == UInt32(number + 1))
      #expect(
        archive.opened.header.slots.map { $0.label(keys: archive.opened.keys) } == [
          "ours", "ours", "ours",
        ])
    }
  }

  @Test("credentials that are none are refused")
  func badCredentials() {
    #expect(code { _ = try ArchiveCredential.passphrase([]) } == .invalidItem)
    #expect(
      code { _ = try ArchiveCredential.keyFile([UInt8](repeating: 1, count: 31)) } == .invalidItem)
    #expect(code { _ = try PackedKeychain([], credentials: []) } == .invalidItem)
    #expect(
      code {
        _ = try PackedKeychain(
          [], credentials: Array(repeating: PackedKeychain.keyFile(), count: 65))
      }
        == .refusedByLimit)
  }

  @Test("KDF costs below a writer's floors or over the bounds are refused")
  func costs() {
    for cost in [
      KDFCost.argon2id(memory: 19 << 10 - 1, passes: 2, lanes: 1), .pbkdf2(iterations: 1000),
      .scrypt(logN: 25, r: 8, p: 1),
    ] {
      var options = WriteOptions()
      options.cost = cost
      #expect(code { _ = try PackedKeychain([], options: options) } == .refusedByLimit)
    }
  }

  @Test("an archive is opened by its path, and errors of the system are told")
  func paths() throws {
    let directory = TemporaryDirectory()
    let keychain = try PackedKeychain(Self.items)
    directory.write(keychain.device.contents, to: "a")
    directory.write([UInt8](repeating: 0x20, count: 100), to: "b")
    let archive = try KeychainArchive.open(
      path: directory.file("a"), credentials: keychain.credentials)
    #expect(archive.itemCount == 9)
    let credentials = keychain.credentials
    #expect(
      code { _ = try KeychainArchive.open(path: directory.file("b"), credentials: credentials) }
        == .notAnArchive)
    #expect(
      code { _ = try KeychainArchive.open(path: directory.file("none"), credentials: credentials) }
        == .ioFailed)
    #expect(
      code { _ = try KeychainArchive.open(path: directory.path, credentials: credentials) }
        == .ioFailed)
  }

  @Test("a damaged item is told once, and the others are found without the index")
  func damaged() throws {
    let keychain = try PackedKeychain(Self.items)
    var bytes = keychain.device.contents
    let frames = FramePlace.walk(bytes, from: 8192)
    bytes[frames[0].place + 50] ^= 1
    let archive = try KeychainArchive.open(
      MemoryDevice(bytes), credentials: keychain.credentials, options: OpenOptions())
    let query = AttributeQuery(nil, [.account: .text("alice"), .service: .text("mail")])
    let result = try archive.search(query)
    #expect(result.items.map(\.item) == [Self.items[1].0])
    #expect(result.losses.map(\.code) == [.damaged])
    #expect(code { _ = try archive.items(matching: query) } == .damaged)
    #expect(try archive.search(AttributeQuery()).items.count == 8)
  }

  @Test(
    "a damaged value is told by the item's name, and streaming goes on behind it",
    arguments: [0, 40])
  func damagedValue(offset: Int) throws {
    let keychain = try PackedKeychain(Self.items)
    var bytes = keychain.device.contents
    let frames = FramePlace.walk(bytes, from: 8192)
    bytes[frames[1].place + offset] ^= 1
    let archive = try KeychainArchive.open(
      MemoryDevice(bytes), credentials: keychain.credentials, options: OpenOptions())
    let found = try archive.search(AttributeQuery()).items
    #expect(found.count == 9)
    do {
      _ = try archive.value(of: found[0])
      Issue.record("it was read")
    } catch {
      #expect(error.code == .damaged)
      #expect(error.item == found[0].item.displayName)
    }
    var stream = ItemStream(archive, valueLimit: 1 << 20)
    var value = SecretBytes(count: 0)
    var count = 0
    while try stream.next(value: &value) != nil { count += 1 }
    #expect(count == 8)
    #expect(stream.losses.map(\.code) == [.damaged])
    #expect(stream.losses.first?.item == found[0].item.displayName)
  }

  @Test("attributes that the model refuses are tampering, for they are authentic")
  func malformedAttributes() throws {
    let packed = try PackedArchive([PackedItem(0), PackedItem(1)], keyFile: 1)
    let archive = try KeychainArchive.open(
      MemoryDevice(packed.bytes), credentials: [PackedKeychain.keyFile()], options: OpenOptions())
    let result = try archive.search(AttributeQuery())
    #expect(result.items.isEmpty && result.losses.map(\.code) == [.tampered, .tampered])
  }

  @Test(
    "what reads back differently is told, and costs nothing that was there",
    arguments: [100, 8192 + 60, 8192 + 400])
  func readBack(offset: Int) throws {
    let device = MemoryDevice()
    var writer = try ArchiveWriter(
      to: device, credentials: [PackedKeychain.keyFile()], options: WriteOptions())
    for (origin, (item, value)) in Self.items.enumerated() {
      let value = value ?? [1]
      try writer.append(item, value: value.bytes, origin: UInt32(origin))
    }
    let readBack = writer.readBack
    let summary = try writer.finish()
    try readBack.run(summary, depth: .standard)
    let changed = device.contents[offset] ^ 1
    try device.write([changed].bytes, at: UInt64(offset))
    #expect(code { try readBack.run(summary, depth: .standard) } == .damaged)
  }

  @Test("packing to a full disk is an error of the disk, for every call that can fail")
  func fullDisk() throws {
    var count = 0
    while true {
      let device = FaultDevice(failingAfter: count, number: 28)
      let found = code {
        var writer = try ArchiveWriter(
          to: device, credentials: [PackedKeychain.keyFile()], options: WriteOptions())
        for (item, value) in Self.items {
          let value = value ?? []
          try writer.append(item, value: value.bytes, origin: 0)
        }
        let readBack = writer.readBack
        let summary = try writer.finish()
        try readBack.run(summary, depth: .everything)
      }
      guard let found else { break }
      #expect(found == .ioFailed, "call \(count)")
      count += 1
    }
    #expect(count >= 5)
  }
}
