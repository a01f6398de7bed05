// From a plan to items: which class and attributes each value gets.

package import KeychainModel
package import PropertyListCodec

extension MigrationPlan {
  /// The item for a key that is taken.
  ///
  /// - Parameter group: the access group of items of lists whose domain another list has, too.
  package func item(for key: PlannedKey, group: String?) throws(PropertyListError) -> ListItem {
    var value = try list.document.listValue(key.node)
    let path = key.path.text
    var attributes = [
      Attribute(.listType, .text(value.type)),
      Attribute(.listFile, .bytesOrText(list.path)),
      Attribute(.listFormat, .text(list.formatName)),
    ]
    var itemClass = ItemClass.genericPassword
    var account = AttributeValue.text(path)
    var place = Attribute(.service, .text(list.domain))
    var losses: [String] = []
    var names: AttributeValue?
    if let rule = rule(for: key) {
      itemClass = rule.itemClass
      if itemClass == .internetPassword { place = Attribute(.server, place.value) }
      for (name, text) in rule.attributes {
        guard let given = text.value(for: key, in: list) else {
          losses.append(
            "'\(name.name(in: itemClass))' of rule \(rule.number) asks for a value that is not there"
          )
          continue
        }
        switch name {
        case .account: account = given
        case place.key: place.value = given
        default: attributes.append(Attribute(name, given))
        }
      }
      if let decoding = rule.decoding {
        if let decoded = decoding.decode(value) {
          value = decoded
        } else {
          losses.append(
            "kept as it is: '\(decoding.rawValue)' of rule \(rule.number) could not be undone")
        }
      }
    }
    if let rule = rule(for: key), !rule.classNames.isEmpty {
      if let renamed = rule.classNames.rename(value) {
        value = renamed
        names = rule.classNames.attribute
      } else {
        losses.append("kept as it is: 'classes' of rule \(rule.number) could not be undone")
      }
    }
    attributes += [Attribute(.account, account), place]
    if let names { attributes.append(Attribute(.listClasses, names)) }
    if account != .text(path) { attributes.append(Attribute(.listKey, .text(path))) }
    if let encoding = value.encoding {
      attributes.append(Attribute(.listEncoding, .text(encoding.rawValue)))
    }
    if let group, !attributes.contains(where: { $0.key == .accessGroup }) {
      attributes.append(Attribute(.accessGroup, .text(group)))
    }
    return ListItem(
      item: KeychainItem(itemClass, attributes: attributes), value: value.bytes,
      loss: losses.isEmpty ? nil : losses.joined(separator: "; "))
  }

  private func rule(for key: PlannedKey) -> MigrationRule? {
    guard case .take(.rule(let number)) = key.choice else { return nil }
    return rules.rules[number - 1]
  }

  /// The list itself, as an item of class `file` that restoring knows for a list.
  package var fileItem: KeychainItem {
    var item = list.fileItem
    item[.path] = .bytesOrText(list.path)
    item[.listFormat] = .text(list.formatName)
    return item
  }

  /// How a value that is taken is called for people.
  package func kindName(of key: PlannedKey) -> String {
    let document = list.document
    if document.isPersistentReference(key.node) { return "persistent reference" }
    if document.isArrayOfReferences(key.node) { return "persistent references" }
    switch document.kind(of: key.node) {
    case .string:
      guard let text = document.string(of: key.node) else { return "text" }
      switch SecretContent.kind(ofSecret: Array(text.utf8)) {
      case .json: return "JSON text"
      case .keyedArchive: return "keyed archive in text"
      case .propertyList: return "property list in text"
      case .typedStream: return "typed stream in text"
      case nil: return "text"
      }
    case .data:
      guard let content = document.data(of: key.node).flatMap({ SecretContent.list($0) }) else {
        return "data"
      }
      if content.format == .typedStream { return "typed stream" }
      return KeyedArchive.isArchive(content) ? "keyed archive" : "property list"
    case let kind: return kind.listTypeName
    }
  }
}

/// The access groups that keep items of two lists of one domain apart.
package enum ListGroups {
  /// For each list the access group of its items: none for a domain's first list, which is the one in the fewest
  /// folders (of those, the first by its path's bytes); for others the list's folder, or its path where that does
  /// not tell it from another.
  package static func groups(of lists: [SourceList]) -> [String?] {
    var taken: [String: Set<String>] = [:]
    var groups = [String?](repeating: nil, count: lists.count)
    let depths = lists.map { list in list.path.count { $0 == UInt8(ascii: "/") } }
    let order = lists.indices.sorted { left, right in
      depths[left] != depths[right]
        ? depths[left] < depths[right]
        : lists[left].path.lexicographicallyPrecedes(lists[right].path)
    }
    for index in order {
      let list = lists[index]
      // Access groups default to the empty text, so the first list has that one.
      guard taken[list.domain] != nil else {
        taken[list.domain] = [""]
        continue
      }
      groups[index] = [list.folder, list.path].lazy
        .map { String(decoding: $0, as: UTF8.self) }
        .first { taken[list.domain]?.insert($0).inserted == true }
    }
    return groups
  }
}
