// Which paths an archive gets, and which it may bring back.

import Glibc
import KeychainModel
import Testing

@testable import KeychainInterchange

@Suite("Paths of files")
struct PathNameTests {
  @Test(
    "A path on the command line becomes one below a folder, as tar has it",
    arguments: [
      ("a", "a"), ("a/b", "a/b"), ("/a/b", "a/b"), ("//a//b/", "a/b"), ("./a/./b", "a/b"),
      ("../a", "a"), ("../../a/../b", "b"), ("a/..", nil), (".", nil), ("..", nil), ("/", nil),
      ("", nil), ("...", "..."), ("a/.b", "a/.b"),
    ] as [(String, String?)])
  func archiving(_ given: String, _ path: String?) {
    #expect(PathName(archiving: Array(given.utf8))?.bytes == path.map { Array($0.utf8) })
  }

  @Test(
    "Only paths that stay below a folder come back",
    arguments: [
      ("a", true), ("a/b", true), ("...", true), ("a/.b/..c", true), ("", false), ("/a", false),
      ("a/", false), ("a//b", false), (".", false), ("..", false), ("a/./b", false),
      ("a/../b", false), ("a/..", false), ("a\0b", false),
    ])
  func restoring(_ path: String, _ isTaken: Bool) {
    let text = PathName(restoring: KeychainItem(.file, [.path: .text(path)]))
    #expect((text != nil) == isTaken)
    let bytes = PathName(restoring: KeychainItem(.file, [.path: .bytes(Array(path.utf8))]))
    #expect(bytes == text)
  }

  @Test("A path that is missing or no text is none")
  func withoutPath() {
    #expect(PathName(restoring: KeychainItem(.file, [:])) == nil)
    #expect(PathName(restoring: KeychainItem(.file, [.path: .integer(1)])) == nil)
  }

  @Test("A path is text where it is UTF-8, else bytes")
  func attributes() {
    #expect(PathName(archiving: Array("é".utf8))?.attributeValue == .text("é"))
    #expect(PathName(archiving: [0x61, 0xFF])?.attributeValue == .bytes([0x61, 0xFF]))
  }

  @Test(
    "Links lead nowhere but below the folder",
    arguments: [
      ("l", "x", true), ("l", "./x/y", true), ("l", "..", false), ("l", "/x", false),
      ("d/l", "..", true), ("d/l", "../x", true), ("d/l", "../..", false),
      ("d/e/l", "../../x", true), ("d/e/l", "../.././../x", false),
      // Behind a name, `..` leads up from wherever that name leads.
      ("d/l", "x/..", false), ("d/l", "../x/../y", false), ("l", "x/../../y", false),
    ])
  func links(_ path: String, _ target: String, _ isInside: Bool) throws {
    let name = try #require(PathName(archiving: Array(path.utf8)))
    #expect(name.linkStaysInside(Array(target.utf8)) == isInside)
  }

  @Test(
    "Times of files come back to the microsecond, also before 2001 and 1970",
    arguments: [
      (0, 0), (978_307_200, 0), (1_700_000_000, 123_456_000), (-14_182_940, 999_999_000),
      (4_294_967_296, 1_000), (-2_208_988_800, 500_000_000),
    ])
  func times(_ seconds: Int, _ nanoseconds: Int) throws {
    let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
    let back = try #require(FileTime.timespec(FileTime.seconds(time)))
    #expect(back.tv_sec == seconds)
    #expect(abs(back.tv_nsec - nanoseconds) < 1000)
  }

  @Test(
    "What no file can have as its time is none",
    arguments: [Double.nan, .infinity, -.infinity, 1e12, -1e300])
  func impossibleTimes(_ seconds: Double) {
    #expect(FileTime.timespec(seconds) == nil)
  }

  @Test("The last nanosecond of a second does not become a second too many")
  func roundedTimes() throws {
    let time = try #require(FileTime.timespec(1.0.nextDown))
    #expect(time.tv_sec == 978_307_200 && time.tv_nsec == 999_999_999)
  }
}
