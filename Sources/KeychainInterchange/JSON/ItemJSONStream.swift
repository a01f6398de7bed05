// Items from JSON or JSON lines, one at a time, however long the input is.

package import ArchiveContainer
package import ArchiveCrypto
internal import ByteCoding
package import KeychainModel
package import PropertyListCodec

/// Why a stream of items can't be read on.
package enum ItemJSONStreamError: Error, Sendable {
  case malformed(ItemJSONError)
  case device(DeviceError)
}

/// An item of a stream.
package struct ItemJSONElement: Sendable {
  package let item: KeychainItem
  package let value: ItemJSON.Value
  package let place: JSONPlace
}

/// Reads a device to its end. What is read may hold secrets, so the buffer is one that is wiped.
package struct ItemJSONStream: ~Copyable {
  private let device: any Device
  private var splitter: JSONSplitter
  private var buffer = SecretBytes(count: 0, capacity: 256 << 10)
  /// Bytes of the buffer that the splitter is done with.
  private var position: UInt64 = 0
  private var isComplete = false

  /// Longer elements are refused: a value of this size belongs in a file of its own.
  private static let maximumElementByteCount = 1 << 30

  package init(_ device: any Device, layout: JSONSplitter.Layout) {
    self.device = device
    splitter = JSONSplitter(layout, maximumElementByteCount: Self.maximumElementByteCount)
  }

  /// Bytes read so far, for a progress display.
  package var byteCount: UInt64 { position }

  /// The next item, its value in `value` where the result says `inMemory`; nil behind the last.
  package mutating func next(
    value: inout SecretBytes
  ) throws(ItemJSONStreamError) -> ItemJSONElement? {
    while true {
      switch try Self.step(&splitter, buffer, isComplete) {
      case .end: return nil
      case .element(let element):
        return try Self.read(buffer, element, &value)
      case .needsInput:
        let done = splitter.discard()
        buffer.removeFirst(done)
        if buffer.count == buffer.capacity { buffer.grow(to: 2 * buffer.capacity) }
        let count = try Self.fill(&buffer, from: device, at: position)
        position += UInt64(count)
        isComplete = count == 0
      }
    }
  }

  // Apart from `self`, whose parts can't be looked into and changed at once.

  private static func step(
    _ splitter: inout JSONSplitter, _ buffer: borrowing SecretBytes, _ isComplete: Bool
  ) throws(ItemJSONStreamError) -> JSONSplitter.Step {
    do {
      return try splitter.next(in: buffer.bytes, isComplete: isComplete)
    } catch {
      throw .malformed(ItemJSONError(error, attribute: nil))
    }
  }

  private static func read(
    _ buffer: borrowing SecretBytes, _ element: JSONSplitter.Element, _ value: inout SecretBytes
  ) throws(ItemJSONStreamError) -> ItemJSONElement {
    do {
      let (item, place) = try ItemJSON.read(
        buffer.bytes.extracting(element.range), at: element.place, value: &value)
      return ItemJSONElement(item: item, value: place, place: element.place)
    } catch {
      throw .malformed(error)
    }
  }

  private static func fill(
    _ buffer: inout SecretBytes, from device: any Device, at position: UInt64
  ) throws(ItemJSONStreamError) -> Int {
    let start = buffer.count
    buffer.resize(to: buffer.capacity)
    var target = buffer.mutableBytes
    var room = target._mutatingExtracting(start..<target.byteCount)
    let count: Int
    do {
      count = try device.read(into: &room, at: position)
    } catch {
      throw .device(error)
    }
    buffer.resize(to: start + count)
    return count
  }
}
