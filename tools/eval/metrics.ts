/** Grades of the listings that are relevant to a query, by id; others have none. */
type Grades = Readonly<Record<string, number>>

/** Normalised discounted cumulative gain of the first 10, with gains of 2^grade - 1 (Järvelin and Kekäläinen 2002). */
export function ndcgAt10(ranked: readonly string[], relevant: Grades): number {
  const ideal = Object.values(relevant).toSorted((a, b) => b - a)
  return gainOf(ranked.map((id) => relevant[id] ?? 0)) / gainOf(ideal)
}

const gainOf = (grades: readonly number[]): number =>
  grades.slice(0, 10).reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0)

/** Which share of the relevant listings is among the first 20. */
export function recallAt20(ranked: readonly string[], relevant: Grades): number {
  const first = new Set(ranked.slice(0, 20))
  const wanted = Object.keys(relevant)
  return wanted.filter((id) => first.has(id)).length / wanted.length
}

/** 1 divided by the place of the first relevant listing; 0 when there is none. */
export function reciprocalRank(ranked: readonly string[], relevant: Grades): number {
  const at = ranked.findIndex((id) => id in relevant)
  return at === -1 ? 0 : 1 / (at + 1)
}
