import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Signers that a facilitator named without a proof, and when its signers changed last. A replica of an earlier version
 * attributes payments by unproven signers of announced facilitators; the next poll of this version takes them away.
 */
const up: Migration['up'] = async (db) => {
  await sql`alter table explorer_facilitators
    add column claimed_signers jsonb not null default '[]',
    add column signers_changed_at timestamptz`.execute(db)
}

export const provenSigners: Migration = { up }
