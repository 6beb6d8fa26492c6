import { sql } from 'kysely'
import { inTransaction } from '../../../platform/database/in-transaction.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { recordset } from '../ingest/recordset.ts'
import { OWN_FACILITATOR } from './facilitators.ts'
import { lockRegistry } from './facilitators-lock.ts'
import { refreshVerified, type SignerKey } from './signers-replace.ts'

/**
 * Every account that submits transactions of this service: sponsors and channels, retired ones too. A settlement needs a
 * channel, so the sponsors of all settlements are among them.
 */
const accounts = sql`(select network, account as address from channels
    union select network, sponsor from channels
    union select network, sponsor from pools
    union select network, sponsor from replica_heartbeats) account`

const missing = sql`${accounts} where not exists (select from explorer_signers signer
  where (signer.network, signer.address) = (account.network, account.address)
    and signer.facilitator = ${OWN_FACILITATOR})`

/** The row of this service. Once it exists, this changes nothing. */
export async function addOwnFacilitator(db: Db): Promise<void> {
  await db
    .insertInto('explorer_facilitators')
    .values({ id: OWN_FACILITATOR, display_name: OWN_FACILITATOR, source: 'own', verified: true })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/**
 * Makes the accounts of this service its signers, also those that another facilitator has named. An account stays its
 * signer for ever, since its payments do. Reads the tables of payments without a lock, and writes only what is missing.
 * Returns whether anything was.
 */
export async function claimOwnSigners(db: Db): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ${missing}) as found`.execute(db)
  if (!rows[0]?.found) return false
  await inTransaction(db, async (transaction) => {
    await lockRegistry(transaction)
    await sql`insert into explorer_signers (network, address, facilitator)
      select network, address, ${OWN_FACILITATOR} from ${missing} order by network, address
      on conflict (network, address) do update
        set facilitator = excluded.facilitator, proven_until = null, claimed_at = clock_timestamp()
        where explorer_signers.facilitator <> excluded.facilitator`.execute(transaction)
    await sql`update explorer_facilitators set networks = own.networks
      from (select array_agg(distinct network order by network) as networks from explorer_signers
        where facilitator = ${OWN_FACILITATOR}) own
      where id = ${OWN_FACILITATOR} and explorer_facilitators.networks <> own.networks`.execute(
      transaction,
    )
    await refreshVerified(transaction)
  })
  return true
}

/**
 * Names the settlement contracts that the keepers of this service extend, as those of its row. Returns whether that changed
 * anything.
 */
export async function claimOwnContracts(db: Db): Promise<boolean> {
  const { rows } = await sql`
    update explorer_facilitators set upto_contracts = own.contracts
    from (select coalesce(array_agg(distinct contract order by contract), '{}') as contracts from upto_keepers) own
    where id = ${OWN_FACILITATOR} and upto_contracts <> own.contracts returning id`.execute(db)
  return rows.length > 0
}

/** Whether every one of these signers, and at least one, is an account of this service. */
export async function areOwnSigners(db: Db, signers: readonly SignerKey[]): Promise<boolean> {
  if (signers.length === 0) return false
  const { rows } = await sql<{ own: bigint }>`
    select count(*) as own from ${recordset(signers, 'network text, address text')} named
      join explorer_signers signer using (network, address)
    where signer.facilitator = ${OWN_FACILITATOR}`.execute(db)
  return Number(rows[0]?.own) === signers.length
}
