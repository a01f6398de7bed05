// Items of lists back into lists (Spec/item-model.md, "Restoring lists"): into the list itself, where the archive has it,
// so that what was not changed comes back byte for byte; else into a new one.

internal import ByteCoding
package import KeychainModel
package import PropertyListCodec

/// A list that is put together from items.
package struct RestoredList: Sendable {
  /// Its path, relative to the folder that was migrated.
  package let path: [UInt8]
  /// The list as it was migrated, and its item, where the archive has them.
  private var file: (item: KeychainItem, bytes: [UInt8])?
  private var values: [(item: KeychainItem, value: [UInt8])] = []

  package init(path: [UInt8]) { self.path = path }

  package mutating func add(file item: KeychainItem, _ bytes: [UInt8]) { file = (item, bytes) }

  package mutating func add(_ item: KeychainItem, value: [UInt8]) { values.append((item, value)) }

  package var itemCount: Int { values.count }

  /// The item that restores the list as a file: with the mode and time that it had, if the archive knows them.
  package var fileItem: KeychainItem {
    var item =
      file?.item
      ?? KeychainItem(
        .file, [.kind: .text(FileKind.file.rawValue), .mode: .integer(0o600)])
    item[.path] = .bytesOrText(path)
    return item
  }

  /// An item that is not in the list.
  package struct Loss: Sendable {
    package let item: String
    package let reason: String
  }

  /// The list's bytes, and what could not be put into it.
  package func bytes() throws(PropertyListError) -> (bytes: [UInt8], losses: [Loss]) {
    guard let file else { return try built() }
    guard ContentKind(file.bytes) == .signedList else {
      guard let document = SecretContent.list(file.bytes) else { return try built() }
      return try changed(document)
    }
    guard let list = try? SignedList.content(of: file.bytes),
      let document = SecretContent.list(list)
    else { return try built() }
    var (bytes, losses) = try changed(document)
    guard bytes != list else { return (file.bytes, losses) }
    losses.append(
      Loss(item: file.item.displayName, reason: "the signature: the list in it has changed"))
    return (bytes, losses)
  }

  // MARK: The list itself

  private func changed(
    _ document: PropertyListDocument
  ) throws(PropertyListError) -> (bytes: [UInt8], losses: [Loss]) {
    var losses: [Loss] = []
    var roots: [PropertyListNode: PropertyListValue] = [:]
    var places: [PropertyListDocument.Place: PropertyListValue] = [:]
    for (item, value) in values {
      do throws(ListValueError) {
        let path = try Self.path(of: item)
        guard let node = document.node(at: path) else {
          throw ListValueError("the list has no such key")
        }
        let stored = try Self.listValue(of: item, value)
        // Compared as the list's own bytes, in which integers can be wider than they have to be.
        let isSame = (try? document.listValue(node)).map {
          $0.type == stored.type && (try? stored.original()) == $0.bytes
        }
        if isSame == true { continue }
        let changed = try stored.propertyListValue()
        if let place = document.place(at: path) {
          places[place] = changed
        } else {
          roots[node] = changed
        }
      } catch {
        losses.append(Loss(item: item.displayName, reason: error.reason))
      }
    }
    return (try document.bytes(replacing: roots, at: places), losses)
  }

  // MARK: A new list

  private func built() throws(PropertyListError) -> (bytes: [UInt8], losses: [Loss]) {
    var losses: [Loss] = []
    var tree = ListTree()
    for (item, value) in values {
      do throws(ListValueError) {
        let path = try Self.path(of: item)
        let value = try Self.listValue(of: item, value).propertyListValue()
        guard tree.insert(value, at: path.components[...]) else {
          throw ListValueError("another item has a value at its place in the list")
        }
      } catch {
        losses.append(Loss(item: item.displayName, reason: error.reason))
      }
    }
    func isIn(_ format: String) -> Bool {
      values.contains { $0.item[.listFormat] == .text(format) }
    }
    guard isIn("xml") || isIn("openStep") else { return (try tree.value.binary(), losses) }
    do throws(PropertyListError) {
      return (try isIn("xml") ? tree.value.xml(sortsKeys: false) : openStep(tree.value), losses)
    } catch  where error.code == .notRepresentable {
      losses.append(Loss(item: "", reason: "written as a binary list: it has \(error.reason)"))
      return (try tree.value.binary(), losses)
    }
  }

  /// A value as GNUstep's defaults have it. Throws `notRepresentable` where reading would not give it back.
  private func openStep(_ value: PropertyListValue) throws(PropertyListError) -> [UInt8] {
    var options = OpenStepWritingOptions()
    options.sortsKeys = false
    options.usesTypedValues = true
    let bytes = try value.openStep(options)
    guard try PropertyListDocument(bytes, as: .openStep).value() == value else {
      throw PropertyListError(
        .notRepresentable, offset: 0, reason: "values that text of this kind can't say exactly")
    }
    return bytes
  }

  // MARK: Items

  private static func path(of item: KeychainItem) throws(ListValueError) -> KeyPath {
    guard case .text(let text) = item[.listKey] ?? item[.account] ?? .text(""),
      let path = KeyPath(text)
    else { throw ListValueError("its account is no key path") }
    return path
  }

  private static func listValue(
    of item: KeychainItem, _ value: [UInt8]
  ) throws(ListValueError) -> ListValue {
    guard case .text(let type) = item[.listType] else {
      throw ListValueError("its 'plistType' is no text")
    }
    guard let name = item[.listEncoding] else { return ListValue(type: type, bytes: value) }
    guard case .text(let text) = name, let encoding = ListEncoding(rawValue: text) else {
      throw ListValueError("its 'plistEncoding' is not known")
    }
    var stored = ListValue(type: type, bytes: value, encoding: encoding)
    if encoding == .classes {
      guard let names = ArchivedClassNames(item[.listClasses]) else {
        throw ListValueError("its 'plistClasses' is no dictionary of names")
      }
      stored.classNames = names
    }
    return stored
  }
}

/// A list that grows by paths.
private struct ListTree {
  private indirect enum Node {
    case leaf(PropertyListValue)
    case dictionary([(key: [UInt8], node: Node)], [[UInt8]: Int])
    /// By position; those that are missing are passed over.
    case array([Int: Node])
  }

  private var root: Node?

  /// False where something is there already.
  mutating func insert(
    _ value: PropertyListValue, at path: ArraySlice<KeyPath.Component>
  ) -> Bool {
    // Deeper than this no list is read.
    guard path.count < PropertyListDocument.Options().maximumDepth else { return false }
    return Self.insert(value, path, into: &root)
  }

  private static func insert(
    _ value: PropertyListValue, _ path: ArraySlice<KeyPath.Component>, into node: inout Node?
  ) -> Bool {
    switch (path.first, node) {
    case (nil, nil):
      node = .leaf(value)
      return true
    case (.key(let key), nil), (.key(let key), .dictionary):
      var entries: [(key: [UInt8], node: Node)] = []
      var indices: [[UInt8]: Int] = [:]
      if case .dictionary(let present, let known) = node { (entries, indices) = (present, known) }
      // Given up meanwhile, so that the arrays are changed in place.
      node = nil
      var child = indices[key].map { entries[$0].node }
      let isInserted = insert(value, path.dropFirst(), into: &child)
      if isInserted, let child {
        if let index = indices[key] {
          entries[index].node = child
        } else {
          indices[key] = entries.count
          entries.append((key, child))
        }
      }
      node = .dictionary(entries, indices)
      return isInserted
    case (.position(let position), nil), (.position(let position), .array):
      var elements: [Int: Node] = [:]
      if case .array(let present) = node { elements = present }
      node = nil
      let isInserted = insert(value, path.dropFirst(), into: &elements[position])
      node = .array(elements)
      return isInserted
    default: return false
    }
  }

  var value: PropertyListValue { root.map(Self.value) ?? .dictionary([]) }

  private static func value(_ node: Node) -> PropertyListValue {
    switch node {
    case .leaf(let value): value
    case .dictionary(let entries, _):
      .dictionary(
        entries.map { entry in
          .init(.string(String(decoding: entry.key, as: UTF8.self)), value(entry.node))
        })
    case .array(let elements):
      .array(elements.sorted { $0.key < $1.key }.map { value($0.value) })
    }
  }
}
