/** The result of one check. `says` never holds a secret. */
export interface Diagnosis {
  readonly status: 'ok' | 'warning' | 'problem' | 'skipped'
  /** What was found, in one clause. */
  readonly says: string
  /** What to do about it; absent with `ok`. */
  readonly todo?: string
}

export const ok = (says: string): Diagnosis => ({ status: 'ok', says })

/** Payments go on; an administrator should know. */
export const warning = (says: string, todo: string): Diagnosis => ({
  status: 'warning',
  says,
  todo,
})

/** Payments fail, or soon will. */
export const problem = (says: string, todo: string): Diagnosis => ({
  status: 'problem',
  says,
  todo,
})

/** The check could not be made. */
export const skipped = (says: string): Diagnosis => ({ status: 'skipped', says })

/** `1 channel`, `3 channels`. */
export const countOf = (count: number, what: string): string =>
  `${count} ${what}${count === 1 ? '' : 's'}`

/** The first names of a list, then how many more there are. */
export function someOf(names: readonly string[], shown = 3): string {
  const more = names.length - shown
  return [...names.slice(0, shown), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
