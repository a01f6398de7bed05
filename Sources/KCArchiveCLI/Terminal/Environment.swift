// What the surroundings say about how to write: terminals, their width, colour, variables.

internal import Glibc

/// A variable of the environment; nil where it is not set.
func environmentValue(_ name: String) -> [UInt8]? {
  guard let characters = unsafe getenv(name) else { return nil }
  return unsafe Array(UnsafeRawBufferPointer(start: characters, count: strlen(characters)))
}

/// Properties of a descriptor that may be a terminal.
package enum Terminal {
  package static func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
  }

  /// Columns of the terminal; 80 where there is none or it does not say.
  package static func width(_ descriptor: Int32) -> Int {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Whether the cursor can be moved: a terminal that does not call itself dumb.
  static func movesCursor(_ descriptor: Int32) -> Bool {
    isTerminal(descriptor) && environmentValue("TERM") != Array("dumb".utf8)
  }

  /// Whether colour is wanted: not in files and pipes, and not where `NO_COLOR` is set (and not
  /// empty, as no-color.org has it).
  package static func wantsColor(_ descriptor: Int32) -> Bool {
    movesCursor(descriptor) && (environmentValue("NO_COLOR") ?? []).isEmpty
  }
}
