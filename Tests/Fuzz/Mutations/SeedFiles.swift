// The files that mutants are made of. Small ones come more often: a mutant of them takes less time and is as telling.

internal import Glibc

struct SeedFiles {
  /// From the shortest on.
  private let files: [[UInt8]]

  /// Longer files are left out.
  private static let maximumCount = 1 << 16

  init(paths: [String]) {
    files =
      paths.compactMap(Self.content)
      .filter { 1...Self.maximumCount ~= $0.count }
      .sorted { $0.count < $1.count }
    guard !files.isEmpty else { fail("no file of 1 to \(Self.maximumCount) bytes") }
  }

  /// The shortest of two.
  func file(_ random: inout Randomness) -> [UInt8] {
    var index = files.count
    for _ in 0..<2 { index = min(index, random.below(files.count)) }
    return files[index]
  }

  private static func content(_ path: String) -> [UInt8]? {
    guard let file = unsafe fopen(path, "rb") else { return nil }
    defer { unsafe _ = fclose(file) }
    var content = [UInt8](repeating: 0, count: maximumCount + 1)
    content.removeLast(content.count - (unsafe fread(&content, 1, content.count, file)))
    return content
  }
}
