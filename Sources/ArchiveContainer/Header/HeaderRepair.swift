// Puts a saved header back into an archive that has lost both copies. It has to be this archive's, and no older than
// the newest commit knows: an old one could bring a removed credential back.

internal import ByteCoding

package enum HeaderRepair {
  /// Writes `savedHeader` to both places.
  ///
  /// - Parameter device: under the write lock.
  /// - Returns: the header's sequence.
  /// - Throws: `.damaged` where it is no header, `.rollback` where it is too old, `.tampered` where no
  ///   commit opens under it or a sound copy contradicts it, and what opening a header throws.
  package static func run(
    _ device: any Device, savedHeader: [UInt8], credentials: [Credential], options: OpenOptions
  ) throws(ContainerError) -> UInt64 {
    guard let copy = HeaderCopy(savedHeader, at: 0) else {
      throw ContainerError(.damaged, "the saved header is damaged, or is none")
    }
    var opener = HeaderOpener(
      HeaderCopies(sound: [copy], findings: []), credentials: credentials, limits: options.limits)
    guard let header = try opener.next() else { throw opener.failure }
    let byteCount = try device.fetchByteCount()
    var finder = StateFinder(
      device: device, byteCount: byteCount, keys: header.keys, firstSession: copy.firstSession)
    let state = try finder.find()
    guard state.commit.headerSequence <= copy.sequence else {
      throw ContainerError(
        .rollback, "the saved header is older than the newest commit",
        hint: "'kcarchive salvage --header FILE' takes the items out all the same")
    }
    if let sound = try? HeaderReader.read(from: device).sound.first(where: {
      $0.sequence > copy.sequence
    }), try sound.isAuthentic(header.keys) {
      throw ContainerError(
        .rollback, "the archive has a newer header that is sound", at: sound.place)
    }
    for place in [copy.firstSession / 2, 0] {
      try device.put(savedHeader.bytes, at: place)
      try device.flushToDisk()
    }
    return copy.sequence
  }
}
