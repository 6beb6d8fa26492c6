const STEPS = 10_000

/** A part of all, rounded to 4 decimals; 0 of nothing. */
export const shareOf = (part: number, all: number): number =>
  all === 0 ? 0 : Math.round((part / all) * STEPS) / STEPS
