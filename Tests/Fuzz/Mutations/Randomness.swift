// Random numbers that a seed decides, so that a mutant can be made again from its number alone.

/// Steele, Lea and Flood's SplitMix64 ("Fast splittable pseudorandom number generators", 2014).
struct Randomness {
  private var state: UInt64

  /// The numbers of one mutant of a run.
  init(seed: UInt64, mutant: Int) {
    state = seed
    state = next() ^ UInt64(truncatingIfNeeded: mutant)
    state = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// A number from 0 to below `bound`, which is above 0.
  mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next() >> 56) }

  mutating func element<Element>(of elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
