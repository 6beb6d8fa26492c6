import { sql } from 'kysely'
import type { NetworkId } from '../../core/caip2.ts'
import type { DbTransaction } from '../in-transaction.ts'
import { recordset } from './recordset.ts'
import type { FacilitatorSource } from './tables.ts'

/** An address that submits transactions of a facilitator. */
export interface SignerKey {
  readonly network: NetworkId
  /** `G...` */
  readonly address: string
}

/**
 * Gives a facilitator the signers that it names and may have, and takes from it those that it no longer names.
 * Signers that stay are not written. Returns whether any changed. The transaction holds `lockRegistry`.
 */
export async function replaceSigners(
  transaction: DbTransaction,
  { id, source }: { readonly id: string; readonly source: FacilitatorSource },
  signers: readonly SignerKey[],
): Promise<boolean> {
  const named = sql`${recordset(signers, 'network text, address text')} named`
  const released = await sql`delete from explorer_signers where facilitator = ${id}
    and (network, address) not in (select network, address from ${named})
    returning address`.execute(transaction)
  const mayTake = sql`${source} = 'configured' and exists (select from explorer_facilitators owner
    where owner.id = explorer_signers.facilitator and owner.source = 'announced')`
  const claimed = await sql`insert into explorer_signers (network, address, facilitator)
    select distinct network, address, ${id} from ${named} order by network, address
    on conflict (network, address) do update
      set facilitator = excluded.facilitator, claimed_at = clock_timestamp()
      where explorer_signers.facilitator <> excluded.facilitator and ${mayTake}
    returning address`.execute(transaction)
  return released.rows.length + claimed.rows.length > 0
}
