// What `make bench` measures of the codec: reads a property list as a document, or it or a keyed archive whole, as
// plain values or values of a type, and prints how many elements its root has; or writes a list as XML. Nothing but
// the library is timed with it.

internal import ByteCoding
internal import Glibc
internal import PropertyListCodec

/// The file, read in one go.
func contents(of path: String) -> [UInt8] {
  let descriptor = unsafe open(path, O_RDONLY)
  guard descriptor >= 0 else { fatalError("cannot open the input") }
  defer { close(descriptor) }
  let size = Int(lseek(descriptor, 0, SEEK_END))
  return unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    unsafe adviseLargePages(UnsafeMutableRawBufferPointer(buffer))
    count = 0
    while count < size {
      let done = unsafe pread(
        descriptor, buffer.baseAddress! + count, size - count, off_t(count))
      guard done > 0 else { fatalError("cannot read the input") }
      count += done
    }
  }
}

func output(_ path: String) -> CInt {
  let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  guard descriptor >= 0 else { fatalError("cannot make the output") }
  return descriptor
}

func write(_ bytes: RawSpan, to descriptor: CInt) {
  var done = 0
  while done < bytes.byteCount {
    let count = unsafe bytes.withUnsafeBytes { buffer in
      unsafe Glibc.write(descriptor, buffer.baseAddress! + done, buffer.count - done)
    }
    guard count > 0 else { fatalError("cannot write the output") }
    done += count
  }
}

func write(_ bytes: [UInt8], to path: String) { write(bytes.bytes, to: output(path)) }

func elementCount(_ value: PropertyListValue) -> Int {
  guard case .array(let elements) = value else { return -1 }
  return elements.count
}

/// What the dictionaries of the lists are.
struct Row: Decodable {
  let name: String
  let identifier: Int
  let score: Double
  let created: PropertyListDate
  let token: PropertyListData
  let enabled: Bool
  let group: String
}

let arguments = CommandLine.arguments
let usage =
  "usage: codec-bench document|list|types|archive|graph FILE, codec-bench xml|binary|keyed FILE OUTPUT"
guard arguments.count >= 3 else { fatalError(usage) }
let document = try PropertyListDocument(contents(of: arguments[2]))
switch (arguments[1], arguments.count) {
case ("document", 3): print(document.children(of: document.root).count)
case ("list", 3): print(elementCount(try document.value()))
case ("graph", 3):
  let archive = try KeyedArchive(document)
  guard case .array(let elements) = try archive.value(of: archive.top[0].value) else {
    fatalError("the root is no array")
  }
  print(elements.count)
case ("keyed", 4): write(try document.value().keyedArchive(), to: arguments[3])
case ("types", 3): print(try ListDecoder().decode([Row].self, from: document).count)
case ("archive", 3): print(elementCount(try KeyedArchive(document).plainValue()))
case ("xml", 4):
  let file = output(arguments[3])
  try document.writeXML { write($0, to: file) }
case ("binary", 4): write(try document.binary(), to: arguments[3])
default: fatalError(usage)
}
