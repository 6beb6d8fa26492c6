/**
 * Which facilitator an address submits for. The first that names an address keeps it, but `own` takes it from every
 * other one, and a configured facilitator from an announced one.
 */
import { sql } from 'kysely'
import type { NetworkId } from '../../core/caip2.ts'
import type { Db } from '../schema.ts'
import type { FacilitatorSource } from './tables.ts'

/** The facilitator that an address signs for. */
export interface SignerOwner {
  readonly facilitator: string
  readonly source: FacilitatorSource
}

/**
 * The facilitators of those addresses that any names among its signers. Call it in the transaction that writes the
 * payments, after its first lock: a signer that is claimed later is then seen by the re-attribution that its claim
 * asks for.
 */
export async function findSigners(
  db: Db,
  network: NetworkId,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, SignerOwner>> {
  if (addresses.length === 0) return new Map()
  const { rows } = await sql<SignerOwner & { address: string }>`
    select signer.address, signer.facilitator, facilitator.source
    from explorer_signers signer join explorer_facilitators facilitator on facilitator.id = signer.facilitator
    where signer.network = ${network} and signer.address = any(${addresses}::text[])`.execute(db)
  return new Map(rows.map(({ address, ...owner }) => [address, owner]))
}
