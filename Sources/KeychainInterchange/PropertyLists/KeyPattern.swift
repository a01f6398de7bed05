// The key paths that a rule is about. `*` is any key, `[*]` any position, `**` any number of either.

/// A pattern of key paths. It is matched component by component, as a list is walked: so a walk knows where
/// nothing can match any more, and the time does not depend on how stars are nested.
package struct KeyPattern: Hashable, Sendable {
  /// A set of places in the pattern, a bit each, at which what was walked so far may stand.
  package typealias State = UInt64

  private enum Part: Hashable, Sendable {
    case key([UInt8])
    case position(Int)
    case anyKey, anyPosition, anything
  }

  /// A state has a bit for each part and one for the end.
  package static let maximumPartCount = 63

  private let parts: [Part]

  /// Nil where `text` is no pattern: no path, empty, a `*` within a key, or too many parts.
  package init?(_ text: String) {
    var parser = KeyPathParser(text)
    var parts: [Part] = []
    while !parser.isAtEnd {
      guard parts.count < Self.maximumPartCount,
        let component = parser.component(isFirst: parts.isEmpty)
      else { return nil }
      switch component {
      case .position(let position): parts.append(position.map { .position($0) } ?? .anyPosition)
      case .key(let key, isLiteral: true): parts.append(.key(key))
      case .key(let key, isLiteral: false):
        switch key {
        case Array("*".utf8): parts.append(.anyKey)
        case Array("**".utf8): parts.append(.anything)
        case _ where key.contains(UInt8(ascii: "*")): return nil
        default: parts.append(.key(key))
        }
      }
    }
    guard !parts.isEmpty else { return nil }
    self.parts = parts
  }

  /// The state at the root.
  package var start: State { closed(1) }

  /// The state behind a further component; 0 where nothing from here on matches.
  package func advance(_ state: State, over component: KeyPath.Component) -> State {
    var next: State = 0
    var rest = state
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest - 1
      guard index < parts.count else { continue }
      switch (parts[index], component) {
      case (.anything, _): next |= 1 << State(index)
      case (.anyKey, .key), (.anyPosition, .position): next |= 1 << State(index + 1)
      case (.key(let wanted), .key(let key)) where wanted == key: next |= 1 << State(index + 1)
      case (.position(let wanted), .position(let position)) where wanted == position:
        next |= 1 << State(index + 1)
      default: break
      }
    }
    return closed(next)
  }

  /// Whether the path walked so far matches.
  package func accepts(_ state: State) -> Bool { state >> State(parts.count) & 1 == 1 }

  /// `state` with the places behind each `**` that it stands at, for that may stand for nothing.
  private func closed(_ state: State) -> State {
    var state = state
    for index in parts.indices where parts[index] == .anything && state >> State(index) & 1 == 1 {
      state |= 1 << State(index + 1)
    }
    return state
  }
}
