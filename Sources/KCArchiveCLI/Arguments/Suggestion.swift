// "did you mean": the known word that is nearest to a mistyped one.

/// The word of `candidates` that differs least from `word`, if it is near enough to be meant: a third
/// of its letters, and at least two, may differ. A word that `word` begins counts as near.
package func nearest(to word: String, in candidates: [String]) -> String? {
  // Nobody mistypes a word of thousands of letters; the table below would be that size squared.
  guard word.utf8.count <= 64 else { return nil }
  var best: (distance: Int, candidate: String)?
  for candidate in candidates {
    let distance = editDistance(Array(word.utf8), Array(candidate.utf8))
    let allowed = max(2, candidate.utf8.count / 3)
    guard distance <= allowed, distance < candidate.utf8.count else { continue }
    if best.map({ distance < $0.distance }) ?? true { best = (distance, candidate) }
  }
  if let best { return best.candidate }
  let longer = candidates.filter {
    $0.utf8.starts(with: word.utf8) && $0.utf8.count > word.utf8.count
  }
  return word.utf8.count > 3 && longer.count == 1 ? longer.first : nil
}

/// How many letters are to be inserted, left out, replaced or swapped with their neighbour to turn
/// `left` into `right` (optimal string alignment).
func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  guard !left.isEmpty else { return right.count }
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for i in 1...left.count {
    var row = [i]
    for j in 0..<right.count {
      let cost = left[i - 1] == right[j] ? 0 : 1
      var least = min(last[j + 1] + 1, row[j] + 1, last[j] + cost)
      if i > 1 && j > 0 && left[i - 1] == right[j - 1] && left[i - 2] == right[j] {
        least = min(least, beforeLast[j - 1] + 1)
      }
      row.append(least)
    }
    beforeLast = last
    last = row
  }
  return last[right.count]
}
