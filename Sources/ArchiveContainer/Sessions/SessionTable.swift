// The sessions of an archive by their places: to which commit a frame belongs, and when that was.

internal import ByteCoding

package struct SessionTable: Sendable {
  package struct Session: Sendable {
    /// The place of its first frame.
    package let start: UInt64
    /// Of its commit.
    package let commit: UInt64
    package let number: UInt64
    /// Milliseconds since 1970, as its writer had it.
    package let time: UInt64
  }

  /// Oldest first. Where an older commit can't be read, the sessions up to it are left out.
  package private(set) var sessions: [Session] = []

  /// - Throws: `.ioFailed` only.
  package init(_ archive: OpenedArchive) throws(ContainerError) {
    var chain = CommitChain(archive)
    do throws(ContainerError) {
      while let (commit, _, _) = try chain.next() {
        sessions.append(
          Session(
            start: commit.firstFrame, commit: commit.place, number: commit.number,
            time: commit.time))
      }
    } catch  where error.code != .ioFailed {
      // A scan tells of it; here it only means that older times are not known.
    }
    sessions.reverse()
  }

  /// The position of the session in which `place` lies; nil where it is not known.
  package func index(at place: UInt64) -> Int? {
    var (low, high) = (0, sessions.count)
    while low < high {
      let middle = (low + high) / 2
      if sessions[middle].commit <= place { low = middle + 1 } else { high = middle }
    }
    guard low < sessions.count, sessions[low].start <= place else { return nil }
    return low
  }

  /// The session in which `place` lies; nil where it is not known.
  package func session(at place: UInt64) -> Session? {
    index(at: place).map { sessions[$0] }
  }
}
