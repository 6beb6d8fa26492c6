import { readPasses } from './questions.ts'

/** How far the two passes of grading agree. */
export type Agreement = Readonly<{
  /** Pairs of question and listing that at least one pass graded. */
  graded: number
  /** Pairs with the same grade. */
  same: number
  /** Pairs whose grades are at most one apart. */
  near: number
  /** Cohen's kappa with quadratic weights over `pool` pairs: those that no pass graded count as 0 and 0. */
  kappa: number
}>

const GRADES = 4

/** @param pool how many pairs the second pass looked at */
export function agreement(pool: number): Agreement {
  const { first, second } = readPasses()
  const counts = Array.from({ length: GRADES }, () => new Array<number>(GRADES).fill(0))
  let graded = 0
  for (const [id, one] of first) {
    const other = second.get(id) ?? {}
    for (const listing of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const row = counts[one[listing] ?? 0] as number[]
      row[other[listing] ?? 0] = (row[other[listing] ?? 0] as number) + 1
      graded += 1
    }
  }
  const none = counts[0] as number[]
  none[0] = pool - graded
  const at = (i: number, j: number): number => counts[i]?.[j] ?? 0
  const grades = [...Array(GRADES).keys()]
  const sum = (weight: (i: number, j: number) => number, from = at): number =>
    grades.reduce(
      (all, i) => all + grades.reduce((row, j) => row + weight(i, j) * from(i, j), 0),
      0,
    )
  const ofFirst = grades.map((i) => grades.reduce((all, j) => all + at(i, j), 0))
  const ofSecond = grades.map((j) => grades.reduce((all, i) => all + at(i, j), 0))
  const byChance = (i: number, j: number): number =>
    ((ofFirst[i] as number) * (ofSecond[j] as number)) / pool
  const squared = (i: number, j: number): number => (i - j) ** 2
  return {
    graded,
    same: sum((i, j) => (i === j ? 1 : 0)) - at(0, 0),
    near: sum((i, j) => (Math.abs(i - j) <= 1 ? 1 : 0)) - at(0, 0),
    kappa: 1 - sum(squared) / sum(squared, byChance),
  }
}
