// Finds the two header copies at the front of a file or pipe (Spec/container.md, "Finding the header").

internal import ByteCoding

/// What stands at the front of an archive.
package struct HeaderCopies: Sendable {
  /// The copies whose SHA-256 holds, the one to try first in front.
  package let sound: [HeaderCopy]
  /// What is wrong with the other, if only one is sound.
  package let findings: [ContainerError]

  /// Where sessions start.
  package var firstSession: UInt64 { sound[0].firstSession }
}

enum HeaderReader {
  /// Reads the header copies. Of a pipe, exactly the bytes up to the first session are consumed.
  ///
  /// - Throws: `.notAnArchive`, `.truncated` (cut in the header), `.damaged` (no copy is sound).
  static func read(from device: any Device) throws(ContainerError) -> HeaderCopies {
    var front = Front(device: device)
    try front.read(upTo: 2 * Format.headerSizes[0])
    guard front.bytes.count >= Format.magic.count else {
      throw ContainerError(.notAnArchive, "too short for an archive")
    }

    var first: HeaderCopy?
    let startsRight = front.hasMagic(Format.magic, at: 0)
    // How long the file has to be by what its start claims.
    var claimed = startsRight ? 2 * Format.headerSizes[0] : 0
    if startsRight, front.bytes.count >= 28 {
      let size = Int(front.bytes.bytes.u32(at: 24))
      if Format.headerSizes.contains(size) {
        claimed = 2 * size
        try front.read(upTo: size)
        if front.bytes.count >= size { first = HeaderCopy(Array(front.bytes[..<size]), at: 0) }
        if first != nil {
          try front.read(upTo: claimed)
          guard front.bytes.count >= claimed else { throw cut(front) }
        }
      }
    }

    if let first {
      let size = first.size
      guard let second = HeaderCopy(Array(front.bytes[size..<(2 * size)]), at: UInt64(size)) else {
        let finding = ContainerError(.damaged, "header copy B is damaged", at: UInt64(size))
        return HeaderCopies(sound: [first], findings: [finding])
      }
      // The higher sequence is tried first; of equal ones, copy A.
      let isNewer = second.sequence > first.sequence
      return HeaderCopies(sound: isNewer ? [second, first] : [first, second], findings: [])
    }
    return try secondCopyOnly(&front, startsRight: startsRight, claimed: claimed)
  }

  /// Copy A is gone: copy B stands at its own size.
  private static func secondCopyOnly(
    _ front: inout Front, startsRight: Bool, claimed: Int
  ) throws(ContainerError) -> HeaderCopies {
    var isOurs = startsRight
    for size in Format.headerSizes {
      try front.read(upTo: 2 * size)
      if front.hasMagic(Format.magic, at: size) {
        isOurs = true
        if front.bytes.count >= 2 * size,
          let second = HeaderCopy(Array(front.bytes[size..<(2 * size)]), at: UInt64(size))
        {
          let finding = ContainerError(.damaged, "header copy A is damaged", at: 0)
          return HeaderCopies(sound: [second], findings: [finding])
        }
      }
      // A look ahead at the first frame; a pipe has nothing to lose here, for nothing was found.
      try front.read(upTo: 2 * size + Format.frameMagic.count)
      if front.hasMagic(Format.frameMagic, at: 2 * size) { isOurs = true }
    }
    guard isOurs else {
      throw ContainerError(.notAnArchive, "no sign of a kcarchive archive")
    }
    if front.bytes.count < claimed { throw cut(front) }
    throw ContainerError(
      .damaged, "both header copies are damaged", at: 0,
      hint: "with a saved header the items can still be salvaged")
  }

  private static func cut(_ front: Front) -> ContainerError {
    ContainerError(
      .truncated, "the file ends in its header; 0 whole items", at: UInt64(front.bytes.count))
  }

  /// The bytes read so far: a pipe can't go back.
  private struct Front {
    let device: any Device
    var bytes: [UInt8] = []

    init(device: any Device) {
      self.device = device
    }

    mutating func read(upTo count: Int) throws(ContainerError) {
      guard bytes.count < count else { return }
      let start = bytes.count
      var more = [UInt8](repeating: 0, count: count - start)
      let done = try device.fetch(into: &more, 0..<more.count, at: UInt64(start))
      bytes += more[..<done]
    }

    func hasMagic(_ magic: [UInt8], at offset: Int) -> Bool {
      bytes.count >= offset + magic.count && bytes.bytes.equals(magic, at: offset)
    }
  }
}
