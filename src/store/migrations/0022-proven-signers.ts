import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Until when the proof of a signer holds: null where none is needed. Signers that a facilitator named and does not have,
 * and when its signers changed last. A replica of an earlier version attributes payments by unproven signers of announced
 * facilitators; this version takes them away.
 */
const up: Migration['up'] = async (db) => {
  await sql`alter table explorer_facilitators
    add column claimed_signers jsonb not null default '[]',
    add column signers_changed_at timestamptz`.execute(db)
  await sql`alter table explorer_signers add column proven_until timestamptz`.execute(db)
}

export const provenSigners: Migration = { up }
