// Appends sessions to an archive as a later version of the program will: this one only reads them.
//
// It seals with the container's own ciphers, so it is there in debug builds only, as tests are.

#if DEBUG
  @testable package import ArchiveContainer
  internal import ArchiveCrypto
  internal import ByteCoding

  /// A change that a session makes.
  package enum SessionChange {
    case add(PackedItem)
    case replace(ItemRecord, PackedItem)
    case delete(ItemRecord)
    /// A tombstone with extents.
    case shred(ItemRecord, [Range<UInt64>])
    /// A frame of any type, code and content.
    case frame(type: UInt8, code: UInt8, content: [UInt8])
    /// An ITEM frame with this content that is listed in the index.
    case rawItem(code: UInt8, content: [UInt8])
    /// VALUE frames of these codes and contents, behind an item.
    case chunks([(code: UInt8, content: [UInt8])])
    /// Instead of the leaf that lists the live items: nodes of the test's own making.
    case index([IndexNodeDraft])
  }

  /// An INDEX node: its entries are live items by number, or nodes drafted before.
  package struct IndexNodeDraft {
    package enum Child {
      case item(Int)
      case node(Int)
    }
    package let level: UInt8
    package let children: [Child]

    package init(level: UInt8, _ children: [Child]) {
      self.level = level
      self.children = children
    }
  }

  /// Makes sessions, one after the other or as the first one behind a header.
  package struct SessionBuilder {
    package private(set) var bytes: [UInt8]
    private let keys: ArchiveKeys
    private let firstSession: UInt64
    private var previous: Commit?
    private var previousHash = [UInt8](repeating: 0, count: 32)
    private var live: [IndexEntry] = []
    /// What the next commits say of the header.
    package var headerSequence: UInt64 = 1
    /// Where the last session's frames begin, the commit's among them.
    package private(set) var frames: [FramePlace] = []
    package private(set) var lastPlace: UInt64 = 0

    /// Begins behind the last session of `archive`, or behind its header alone.
    package init(_ archive: PackedArchive, afterHeaderOnly: Bool = false) throws {
      bytes = archive.bytes
      keys = archive.keys
      firstSession = UInt64(archive.firstSession)
      if afterHeaderOnly {
        bytes.removeSubrange(archive.firstSession...)
        return
      }
      let opened = try archive.open()
      previous = opened.commit
      let place = Int(opened.commit.place)
      previousHash = SHA256.hash(Array(archive.bytes[place..<(place + 240)]).bytes)
      var index = IndexReader(opened)
      try index.forEachEntry { live.append($0) }
    }

    /// Appends a session with `changes`; `adjust` may change its commit before it is sealed.
    package mutating func append(
      _ changes: [SessionChange], segment: [UInt8]? = nil, adjust: (inout Commit) -> Void = { _ in }
    ) throws {
      let drawn = try segment ?? Randomness.bytes(count: 12)
      let segment = Segment(drawn.bytes, at: 0)
      let cipher = try SegmentCipher(keys: keys, segment: segment)
      let start = UInt64(bytes.count)
      var sequence: UInt32 = 0
      var drafts: [IndexNodeDraft]?

      @discardableResult func seal(_ type: UInt8, _ code: UInt8, _ content: [UInt8]) throws -> UInt64 {
        let place = UInt64(bytes.count)
        var plaintext = SecretBytes(count: 8 + content.count, capacity: 1 << 20)
        var span = plaintext.mutableBytes
        span.store(content, at: 8)
        _ = FramePlaintext.finish(&plaintext, code: code, contentByteCount: content.count)
        var frame = [UInt8](repeating: 0, count: 32 + plaintext.count + 16)
        var target = frame.mutableBytes
        _ = try cipher.seal(plaintext.bytes, type: type, sequence: sequence, into: &target)
        bytes += frame
        sequence += 1
        return place
      }
      func list(_ token: Token, _ place: UInt64) {
        live.append(
          IndexEntry(token: token, place: place, segment: segment, sequence: sequence - 1))
      }
      func item(_ item: PackedItem, replacing old: ItemRecord?) throws {
        var id = try Randomness.bytes(count: 16)
        if let old { id = old.idBytes }
        let content = ItemContent(
          id: id, token: item.token, revision: (old?.revision ?? 0) + 1, replaces: old?.place ?? 0,
          length: UInt64(item.value?.count ?? 0), hasValue: item.value != nil,
          rest: item.attributes)
        lastPlace = try seal(FrameType.item, 0, content.bytes)
        list(item.token, lastPlace)
        if let value = item.value { try seal(FrameType.value, 1, value) }
      }
      func tombstone(_ old: ItemRecord, _ extents: [Range<UInt64>]) throws {
        var rest: [UInt8] = []
        for extent in extents {
          rest.append(littleEndian: extent.lowerBound)
          rest.append(littleEndian: extent.upperBound - extent.lowerBound)
        }
        let content = ItemContent(
          id: old.idBytes, token: old.token, revision: old.revision + 1, replaces: old.place,
          length: 0, hasValue: false, rest: rest)
        try seal(FrameType.item, 1, content.bytes)
      }

      for change in changes {
        switch change {
        case .add(let new): try item(new, replacing: nil)
        case .replace(let old, let new):
          live.removeAll { $0.place == old.place }
          try item(new, replacing: old)
        case .delete(let old):
          live.removeAll { $0.place == old.place }
          try tombstone(old, [])
        case .shred(let old, let extents):
          live.removeAll { $0.place == old.place }
          try tombstone(old, extents)
        case .frame(let type, let code, let content): try seal(type, code, content)
        case .rawItem(let code, let content):
          lastPlace = try seal(FrameType.item, code, content)
          list(Token(content.bytes, at: 16), lastPlace)
        case .chunks(let chunks):
          for chunk in chunks { try seal(FrameType.value, chunk.code, chunk.content) }
        case .index(let nodes): drafts = nodes
        }
      }

      live.sort { $0.token != $1.token ? $0.token < $1.token : $0.place < $1.place }
      var nodes: [(entry: IndexEntry, level: UInt8)] = []
      let whole = IndexNodeDraft(level: 0, live.indices.map { .item($0) })
      for draft in drafts ?? (live.isEmpty ? [] : [whole]) {
        let entries = draft.children.map { child in
          switch child {
          case .item(let number): live[number]
          case .node(let number): nodes[number].entry
          }
        }
        var content = [UInt8](repeating: 0, count: 40 * entries.count)
        var span = content.mutableBytes
        for (number, entry) in entries.enumerated() { entry.store(in: &span, at: 40 * number) }
        let place = try seal(FrameType.index, draft.level, content)
        nodes.append(
          (
            IndexEntry(
              token: entries[0].token, place: place, segment: segment, sequence: sequence - 1),
            draft.level
          ))
      }

      let own = UInt64(bytes.count)
      var commit = Commit(
        number: (previous?.number ?? 0) + 1, place: own, firstFrame: start,
        previous: previous?.place ?? 0, previousHash: previousHash,
        headerSequence: headerSequence, time: 0, liveItems: UInt64(live.count), liveBytes: 0,
        deadBytes: 0,
        root: nodes.last.map {
          Commit.Root(
            place: $0.entry.place, segment: $0.entry.segment, sequence: $0.entry.sequence,
            level: $0.level)
        })
      adjust(&commit)
      bytes += try commit.endOfSession(
        cipher: cipher, sequence: sequence, archiveID: keys.archiveID)
      previous = commit
      previousHash = SHA256.hash(Array(bytes[Int(own)..<(Int(own) + 240)]).bytes)
      frames = FramePlace.walk(bytes, from: Int(start))
    }
  }

  /// The content of an ITEM frame, any of it wrong where a test wants it.
  package struct ItemContent {
    package var id: [UInt8]
    package var token: Token
    package var revision: UInt64
    package var replaces: UInt64
    package var length: UInt64
    package var hasValue: Bool
    package var rest: [UInt8]

    package init(
      id: [UInt8] = [UInt8](repeating: 9, count: 16), token: Token, revision: UInt64 = 1,
      replaces: UInt64 = 0, length: UInt64 = 0, hasValue: Bool = false, rest: [UInt8] = []
    ) {
      self.id = id
      self.token = token
      self.revision = revision
      self.replaces = replaces
      self.length = length
      self.hasValue = hasValue
      self.rest = rest
    }

    package var bytes: [UInt8] {
      var content = [UInt8](repeating: 0, count: 64)
      var span = content.mutableBytes
      span.store(id, at: 0)
      token.store(in: &span, at: 16)
      span.store(revision, at: 32)
      span.store(replaces, at: 40)
      span.store(length, at: 48)
      span.store(UInt64(hasValue ? 1 : 0), at: 56)
      return content + rest
    }
  }

  extension ItemRecord {
    fileprivate var idBytes: [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 16)
      var span = bytes.mutableBytes
      id.store(in: &span, at: 0)
      return bytes
    }
  }
#endif
