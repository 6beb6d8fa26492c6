/** Keeps which signers a facilitator has. Every transaction here holds `lockRegistry`. */
import { sql } from 'kysely'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import { databaseNow } from '../../../platform/database/sql-time.ts'
import { recordset } from '../ingest/recordset.ts'
import type { FacilitatorSource } from '../tables.ts'

/** An address that submits transactions of a facilitator. */
export interface SignerKey {
  readonly network: NetworkId
  /** `G...` */
  readonly address: string
}

/** A signer that a facilitator may have. */
export interface TrustedSigner extends SignerKey {
  /** When its proof ends. Null: the administrator trusts the facilitator. */
  readonly provenUntil: Date | null
}

interface Owner {
  readonly id: string
  readonly source: FacilitatorSource
}

/** Whatever a proof says, and whatever the clock of the process that read it. */
const MAX_PROVEN = sql`interval '7 days'`

const trusted = (signers: readonly TrustedSigner[]) => sql`(
  select distinct network, address,
    case when "provenUntil" is not null then least("provenUntil", ${databaseNow} + ${MAX_PROVEN}) end as proven_until
  from ${recordset(signers, 'network text, address text, "provenUntil" timestamptz')} given
  where "provenUntil" is null or "provenUntil" > ${databaseNow}) named`

/** Notes how long the signers that a facilitator has are proven now. That attributes no payment to anyone else. */
export async function renewProofs(
  transaction: DbTransaction,
  { id }: Pick<Owner, 'id'>,
  signers: readonly TrustedSigner[],
): Promise<void> {
  await sql`update explorer_signers signer set proven_until = named.proven_until
    from ${trusted(signers)}
    where signer.facilitator = ${id}
      and (signer.network, signer.address) = (named.network, named.address)
      and signer.proven_until is distinct from named.proven_until`.execute(transaction)
}

/**
 * Gives a facilitator the signers that it may have, and takes from it those that it no longer names or proves. A signer
 * that another one has stays with that one, which proved it earlier; a configured facilitator takes it from an announced
 * one. Signers that stay are not written. Returns whether any changed.
 */
export async function replaceSigners(
  transaction: DbTransaction,
  { id, source }: Owner,
  signers: readonly TrustedSigner[],
): Promise<boolean> {
  const named = trusted(signers)
  const released = await sql`delete from explorer_signers where facilitator = ${id}
    and (network, address) not in (select network, address from ${named})
    returning address`.execute(transaction)
  const mayTake = sql`${source} = 'configured' and exists (select from explorer_facilitators owner
    where owner.id = explorer_signers.facilitator and owner.source = 'announced')`
  const claimed =
    await sql`insert into explorer_signers (network, address, facilitator, proven_until)
    select network, address, ${id}, proven_until from ${named} order by network, address
    on conflict (network, address) do update set facilitator = excluded.facilitator,
      proven_until = excluded.proven_until, claimed_at = clock_timestamp()
      where explorer_signers.facilitator <> excluded.facilitator and ${mayTake}
    returning address`.execute(transaction)
  return released.rows.length + claimed.rows.length > 0
}

/** Makes those announced facilitators verified that have a signer. Call when signers or a source have changed. */
export async function refreshVerified(transaction: DbTransaction): Promise<void> {
  await sql`update explorer_facilitators facilitator set verified = not verified
    where source = 'announced' and verified <> exists (
      select from explorer_signers signer where signer.facilitator = facilitator.id)`.execute(
    transaction,
  )
}
