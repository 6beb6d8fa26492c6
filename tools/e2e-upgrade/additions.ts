/** What the releases of the test change, since a checkout may have no migration of its own. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Addition } from './trees.ts'

/** A text field of both kinds. */
export const ADDED_FIELD = 'e2eNote'

/** Each locks a table that every payment uses. */
const expand: Addition = {
  name: 'e2e-expand',
  isContract: false,
  statements: [
    'alter table settlements add column e2e_note text',
    'alter table channels add column e2e_weight integer not null default 1',
    'create index settlements_by_e2e_note on settlements (e2e_note)',
  ],
  field: ADDED_FIELD,
}

const contract: Addition = {
  name: 'e2e-contract',
  isContract: true,
  statements: [
    'drop index settlements_by_e2e_note',
    'alter table settlements drop column e2e_note',
    'alter table channels drop column e2e_weight',
  ],
}

/** This checkout, which only adds. */
export const candidate = { additions: [expand] }

/** The release after it, which removes: the previous release cannot work with its schema, the candidate can. */
export function successor(root: string) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [major, minor] = String(version).split('.')
  return { version: `${major}.${Number(minor) + 1}.0`, additions: [expand, contract] }
}
