/** What a check came to. `says` never holds a secret. */
export interface Verdict {
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped'
  /** What was found, in one clause. */
  readonly says: string
  /** What to do about it; present unless all is well. */
  readonly todo?: string
}

export const ok = (says: string): Verdict => ({ status: 'ok', says })

/** Payments go on; an operator should know. */
export const warning = (says: string, todo: string): Verdict => ({ status: 'warning', says, todo })

/** Payments fail, or will. */
export const problem = (says: string, todo: string): Verdict => ({ status: 'problem', says, todo })

/** Could not be judged. */
export const skipped = (says: string): Verdict => ({ status: 'skipped', says })

/** `1 channel`, `3 channels`. */
export const countOf = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`

/** The first few of many, and how many more there are. */
export function someOf(names: readonly string[], shown = 3): string {
  const more = names.length - shown
  return [...names.slice(0, shown), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
