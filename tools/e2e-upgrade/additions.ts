/** The invented versions after this one: what each adds, since a checkout may have no migration of its own. */

/** What a version adds to the one before. */
export interface Addition {
  /** After the number, and after `contract-0004-`. */
  readonly name: string
  /** Whether versions without the migration before it are refused. */
  readonly isContract: boolean
  readonly statements: readonly string[]
  /** A text field that both kinds get in their definitions. */
  readonly field?: string
}

/** A text field of both kinds. */
export const ADDED_FIELD = 'e2eNote'

/** Each locks a table that every payment uses. */
export const expand: Addition = {
  name: 'e2e-expand',
  isContract: false,
  statements: [
    'alter table settlements add column e2e_note text',
    'alter table channels add column e2e_weight integer not null default 1',
    'create index settlements_by_e2e_note on settlements (e2e_note)',
  ],
  field: ADDED_FIELD,
}

/** Versions without `expand` cannot work with what it leaves. */
export const contract: Addition = {
  name: 'e2e-contract',
  isContract: true,
  statements: [
    'drop index settlements_by_e2e_note',
    'alter table settlements drop column e2e_note',
    'alter table channels drop column e2e_weight',
  ],
}

/** The name of the migration with an addition, where `newest` is the last one so far. */
export function migrationName(newest: string, { name, isContract }: Addition): string {
  const least = newest.slice(0, 4)
  const number = String(Number(least) + 1).padStart(4, '0')
  return `${number}-${isContract ? `contract-${least}-` : ''}${name}`
}

export interface LaterVersion {
  readonly version: string
  readonly additions: readonly Addition[]
}

/**
 * The version after `previous`, which only adds, and the one after that, which removes. The first has the version of the checkout, unless
 * that is the previous one.
 */
export function laterVersions(
  previous: string,
  own: string,
): { readonly candidate: LaterVersion; readonly successor: LaterVersion } {
  const candidate = own === previous ? nextMinor(own) : own
  return {
    candidate: { version: candidate, additions: [expand] },
    successor: { version: nextMinor(candidate), additions: [expand, contract] },
  }
}

function nextMinor(version: string): string {
  const [major, minor] = version.split('.')
  return `${major}.${Number(minor) + 1}.0`
}
