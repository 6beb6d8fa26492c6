/** Rows of the registry. Facilitators and their signers change under `lockRegistry` only. */
import { sql } from 'kysely'
import { inTransaction } from '../in-transaction.ts'
import type { Db } from '../schema.ts'
import { databaseNow, databaseTimeIn } from '../sql-time.ts'
import { lockRegistry } from './facilitators-lock.ts'
import { replaceSigners, type SignerKey } from './signers-replace.ts'
import type { FacilitatorSource } from './tables.ts'

/** The id of this service itself. No other facilitator gets it, whatever its host is called. */
export const OWN_FACILITATOR = 'svc'

/** What is public about a facilitator. */
export interface Facilitator {
  readonly id: string
  /** Null: this service itself. */
  readonly baseUrl: string | null
  readonly displayName: string | null
  readonly source: FacilitatorSource
  /** Whether it has ever answered as it should. */
  readonly verified: boolean
  /** CAIP-2 ids of any chain. */
  readonly networks: readonly string[]
  readonly uptoContracts: readonly string[]
  readonly signers: readonly SignerKey[]
  readonly claimedSigners: readonly SignerKey[]
  readonly lastSeenAt: Date | null
  readonly lastError: string | null
  readonly createdAt: Date
}

/** One facilitator with at most 1,000 of its signers. */
export async function readFacilitator(db: Db, id: string): Promise<Facilitator | undefined> {
  const row = await db
    .selectFrom('explorer_facilitators')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const signers = await db
    .selectFrom('explorer_signers')
    .select(['network', 'address'])
    .where('facilitator', '=', id)
    .orderBy('network')
    .orderBy('address')
    .limit(1_000)
    .execute()
  return {
    id,
    baseUrl: row.base_url,
    displayName: row.display_name,
    source: row.source,
    verified: row.verified,
    networks: row.networks,
    uptoContracts: row.upto_contracts,
    signers,
    claimedSigners: row.claimed_signers,
    lastSeenAt: row.last_seen_at,
    lastError: row.last_error,
    createdAt: row.created_at,
  }
}

/** What a good answer says of a facilitator. */
export interface FacilitatorFacts {
  readonly displayName: string
  readonly networks: readonly string[]
  readonly uptoContracts: readonly string[]
  readonly signers: readonly SignerKey[]
  /** Named without a proof. */
  readonly claimed: readonly SignerKey[]
}

/**
 * Each change of a signer has all payments looked at that it submitted. An announced facilitator, which anyone can make,
 * changes its signers once in this time; its first ones are no change.
 */
const COOL_DOWN = sql`interval '1 hour'`

/**
 * Writes a good answer: the facilitator is verified from now on, gets the signers that no other one has, and loses
 * those that it no longer names. Returns whether anything changed that readers see; false also when it was deleted.
 */
export const saveFacilitator = (
  db: Db,
  id: string,
  facts: FacilitatorFacts,
  dueInMs: number,
): Promise<boolean> =>
  inTransaction(db, async (transaction) => {
    await lockRegistry(transaction)
    const before = await transaction
      .selectFrom('explorer_facilitators')
      .select([
        'source',
        'verified',
        'display_name',
        'networks',
        'upto_contracts',
        'claimed_signers',
      ])
      .select(
        sql<boolean>`source = 'announced' and signers_changed_at > ${databaseNow} - ${COOL_DOWN}`.as(
          'isCooling',
        ),
      )
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!before) return false
    const { displayName, networks, uptoContracts, signers, claimed } = facts
    const hasMoved =
      !before.isCooling &&
      (await replaceSigners(transaction, { id, source: before.source }, signers))
    await transaction
      .updateTable('explorer_facilitators')
      .set({
        verified: true,
        display_name: displayName,
        networks: [...networks],
        upto_contracts: [...uptoContracts],
        claimed_signers: JSON.stringify(claimed),
        ...(hasMoved && { signers_changed_at: databaseNow }),
        last_seen_at: databaseNow,
        last_error: null,
        due_at: databaseTimeIn(dueInMs),
        lease_until: null,
      })
      .where('id', '=', id)
      .execute()
    const isSame =
      before.verified &&
      before.display_name === displayName &&
      isEqual(before.networks, networks) &&
      isEqual(before.upto_contracts, uptoContracts) &&
      isEqual(before.claimed_signers.map(nameOf), claimed.map(nameOf))
    return hasMoved || !isSame
  })

/** Writes why there is no good answer; what the last one said stays. */
export async function saveFailure(
  db: Db,
  id: string,
  lastError: string,
  dueInMs: number,
): Promise<void> {
  await db
    .updateTable('explorer_facilitators')
    .set({ last_error: lastError, due_at: databaseTimeIn(dueInMs), lease_until: null })
    .where('id', '=', id)
    .execute()
}

/** Gives a facilitator back that was taken and not asked. */
export async function returnFacilitator(db: Db, id: string): Promise<void> {
  await db
    .updateTable('explorer_facilitators')
    .set({ lease_until: null })
    .where('id', '=', id)
    .execute()
}

const nameOf = ({ network, address }: SignerKey): string => `${network} ${address}`

const isEqual = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((text, place) => text === others[place])
