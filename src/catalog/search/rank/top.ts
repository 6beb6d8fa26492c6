/** Documents with the highest scores, best first; ties in catalog order, minus infinity left out. */
export function topOf(scores: Float32Array, count: number): number[] {
  const found: number[] = []
  for (let at = 0; at < scores.length; at += 1)
    if ((scores[at] as number) > Number.NEGATIVE_INFINITY) found.push(at)
  found.sort((a, b) => (scores[b] as number) - (scores[a] as number) || a - b)
  return found.slice(0, count)
}
