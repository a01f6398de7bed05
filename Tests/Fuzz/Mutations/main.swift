// Reads damaged lists: makes so many mutants of the files in the arguments and does with each all that the codec can
// do. A trap, a time over 2 s, memory over 256 MiB or a value that changes when it is written and read again is a
// failure; the mutant is then left in the current folder.
//
// usage: codec-mutations COUNT SEED FILE-OR-FOLDER...

internal import Glibc

func fail(_ reason: String) -> Never {
  let line = Array("codec-mutations: \(reason)\n".utf8)
  unsafe line.withUnsafeBytes { unsafe _ = write(2, $0.baseAddress, $0.count) }
  exit(2)
}

/// The file, or all files in the folder and those in it, by name.
func files(at path: String) -> [String] {
  guard let directory = unsafe opendir(path) else { return [path] }
  defer { unsafe _ = closedir(directory) }
  var names: [String] = []
  while let entry = unsafe readdir(directory) {
    let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name.utf8.first != UInt8(ascii: ".") { names.append(name) }
  }
  return names.sorted().flatMap { files(at: path + "/" + $0) }
}

let words = CommandLine.arguments
if words.count > 6, words[1] == "--worker", let first = Int(words[3]), let end = Int(words[4]),
  let seed = UInt64(words[5])
{
  Worker.run(
    first..<end, seed: seed, of: SeedFiles(paths: Array(words[6...])), progress: words[2])
} else if words.count > 3, let count = Int(words[1]), count > 0, let seed = UInt64(words[2]) {
  let paths = words[3...].flatMap { files(at: $0) }
  let run = Run(
    program: "/proc/self/exe", seed: seed, paths: paths, corpus: SeedFiles(paths: paths))
  exit(run.go(through: 0..<count) == 0 ? 0 : 1)
} else {
  fail("usage: codec-mutations COUNT SEED FILE-OR-FOLDER...")
}
