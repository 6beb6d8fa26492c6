/** A month of UTC. */
export interface Month {
  /** `2026-11` */
  readonly name: string
  readonly from: Date
  /** The first moment of the next month. */
  readonly until: Date
}

export const MONTH_PATTERN = /^20\d\d-(0[1-9]|1[0-2])$/

/** Undefined when the text is no month such as `2026-11`. */
export function parseMonth(name: string): Month | undefined {
  if (!MONTH_PATTERN.test(name)) return undefined
  const [year, month] = name.split('-').map(Number) as [number, number]
  return { name, from: new Date(Date.UTC(year, month - 1)), until: new Date(Date.UTC(year, month)) }
}

const DAY_MS = 86_400_000

/**
 * Why no statement of a month can be made, as a sentence without its end; undefined when one can. Without old settlements, which are
 * deleted, the sums of a month would be too low.
 * @param now milliseconds since the Unix epoch
 * @param keptDays how long ended settlements are kept; undefined: for ever
 */
export function whyNoStatement(
  { name, from }: Month,
  now: number,
  keptDays: number | undefined,
): string | undefined {
  if (from.getTime() > now) return `the month ${name} has not begun`
  if (keptDays === undefined || from.getTime() >= now - keptDays * DAY_MS) return undefined
  return `settlements of ${name} may be deleted already: this service keeps them for ${keptDays} days, and a statement needs all of its month`
}
