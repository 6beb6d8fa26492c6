/** Stems have at most 40 letters; longer words are never compared. */
const MAX_LETTERS = 63
/** The rows of the table that a comparison needs, made once: a search makes thousands of comparisons. */
let before = new Uint8Array(MAX_LETTERS + 1)
let previous = new Uint8Array(MAX_LETTERS + 1)
let row = new Uint8Array(MAX_LETTERS + 1)

/**
 * Insertions, removals, replacements and swaps of neighbours that make one word the other (optimal string alignment);
 * above `limit`, any number above it. So it is for words of more than 63 letters.
 */
export function editDistance(a: ArrayLike<number>, b: ArrayLike<number>, limit: number): number {
  const { length } = b
  if (Math.abs(a.length - length) > limit || a.length > MAX_LETTERS || length > MAX_LETTERS)
    return limit + 1
  for (let j = 0; j <= length; j += 1) previous[j] = j
  for (let i = 1; i <= a.length; i += 1) {
    row[0] = i
    let least = i
    for (let j = 1; j <= length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min(
        (previous[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (previous[j - 1] as number) + same,
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] as number) + 1)
      row[j] = cost
      least = Math.min(least, cost)
    }
    if (least > limit) return limit + 1
    const oldest = before
    before = previous
    previous = row
    row = oldest
  }
  return previous[length] as number
}
