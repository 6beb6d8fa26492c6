/** A word of this length that begins exactly one candidate stands for it: `prov` for `provision`. */
const MIN_PREFIX = 3

/**
 * The candidate that a person most likely meant by a mistyped word: at most one letter in three is
 * wrong, missing, superfluous or swapped with its neighbour. Undefined when none is that near.
 */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const near = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .filter(({ candidate, distance }) => distance * 3 <= Math.max(word.length, candidate.length))
    .toSorted((a, b) => a.distance - b.distance)
  if (near[0]) return near[0].candidate
  const begun = candidates.filter((candidate) => candidate.startsWith(word))
  return word.length >= MIN_PREFIX && begun.length === 1 ? begun[0] : undefined
}

/** The sentence to append to a refusal of the word, with a space before it, or nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const nearest = nearestWord(word, candidates)
  return nearest === undefined ? '' : `. Did you mean ${nearest}?`
}

/** Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwap ? (beforePrevious[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforePrevious = previous
    previous = current
  }
  return previous.at(-1) ?? 0
}
