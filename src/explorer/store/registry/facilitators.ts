/** Rows of the registry. Facilitators and their signers change under `lockRegistry` only. */
import { type DbTransaction, inTransaction } from '../../../platform/database/in-transaction.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { databaseNow, databaseTimeIn } from '../../../platform/database/sql-time.ts'
import type { FacilitatorSource } from '../tables.ts'
import { lockRegistry } from './facilitators-lock.ts'
import { isCooling } from './signers-end.ts'
import {
  refreshVerified,
  renewProofs,
  replaceSigners,
  type SignerKey,
  type TrustedSigner,
} from './signers-replace.ts'

/** The id of this service itself. No other facilitator gets it, whatever its host is called. */
export const OWN_FACILITATOR = 'svc'

/** The public data of a facilitator. */
export interface Facilitator {
  readonly id: string
  /** Null: this service itself. */
  readonly baseUrl: string | null
  readonly displayName: string | null
  readonly source: FacilitatorSource
  /**
   * Whether payments of its signers are attributed to it: it is this service, or configured and has answered as it should,
   * or it has proven a signer and the proof has not ended.
   */
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

/** Facts about a facilitator, from a valid answer to `/supported`. */
export interface FacilitatorFacts {
  readonly displayName: string
  readonly networks: readonly string[]
  readonly uptoContracts: readonly string[]
  /** Every signer that it names. */
  readonly named: readonly SignerKey[]
  /** The named signers that it has proven, or that need no proof because it is configured. */
  readonly signers: readonly TrustedSigner[]
}

/** The facilitator that was asked, as it was known then. */
interface Asked {
  readonly id: string
  readonly source: FacilitatorSource
}

/**
 * Writes a good answer: the facilitator gets the signers that it may have and no other one has, and loses those that it no
 * longer names or proves; those that it names otherwise are claimed. Returns whether anything changed that readers see;
 * false also when it was deleted, or became configured or announced meanwhile: then the answer was to another question.
 */
export const saveFacilitator = (
  db: Db,
  asked: Asked,
  facts: FacilitatorFacts,
  dueInMs: number,
): Promise<boolean> =>
  inTransaction(db, async (transaction) => {
    await lockRegistry(transaction)
    const { id } = asked
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
      .select(isCooling.as('isCooling'))
      .where('id', '=', id)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!before || before.source !== asked.source) return false
    const { displayName, networks, uptoContracts, named, signers } = facts
    await renewProofs(transaction, asked, signers)
    const hasMoved = !before.isCooling && (await replaceSigners(transaction, asked, signers))
    const claimed = await withoutOwn(transaction, id, named)
    const verified = before.source !== 'announced' || before.verified
    await transaction
      .updateTable('explorer_facilitators')
      .set({
        verified,
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
    if (hasMoved) await refreshVerified(transaction)
    const isSame =
      before.verified === verified &&
      before.display_name === displayName &&
      isEqual(before.networks, networks) &&
      isEqual(before.upto_contracts, uptoContracts) &&
      isEqual(before.claimed_signers.map(nameOf), claimed.map(nameOf))
    return hasMoved || !isSame
  })

async function withoutOwn(
  transaction: DbTransaction,
  id: string,
  named: readonly SignerKey[],
): Promise<readonly SignerKey[]> {
  const rows = await transaction
    .selectFrom('explorer_signers')
    .select(['network', 'address'])
    .where('facilitator', '=', id)
    .execute()
  const own = new Set(rows.map(nameOf))
  return named.filter((key) => !own.has(nameOf(key)))
}

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
