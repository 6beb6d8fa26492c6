import { sql } from 'kysely'
import type { DbTransaction } from '../../../platform/database/in-transaction.ts'
import { internAddresses } from '../ingest/intern-ids.ts'
import { recordset } from '../ingest/recordset.ts'
import { keysOf, type RegistrationKey } from './registrations.ts'

interface SellerWords {
  readonly network: string
  readonly address: string
  readonly registered: boolean
  readonly service_name: string | null
  readonly resource: string | null
  readonly description: string | null
}

/**
 * Gives sellers the name that the best catalog has for them: our own, then those of configured facilitators, then those
 * of announced ones; of equal ones that of the facilitator that is known longest. A seller that was never paid gets a row
 * without payments, and loses it with its registration; one that was paid is then no longer registered. The catalog of
 * an announced facilitator names only addresses to which payments are attributed that a signer of it submitted: anyone can
 * announce one, and could give names to the sellers of others. Touches no figure, and only rows that differ. Returns whether
 * any did.
 */
export async function refreshSellers(
  transaction: DbTransaction,
  keys: readonly RegistrationKey[],
): Promise<boolean> {
  const words = await bestWords(transaction, keys)
  const registered = words.filter((seller) => seller.registered)
  const ids = await internAddresses(
    transaction,
    registered.map(({ address }) => address),
  )
  const isWritten = await writeRegistered(
    transaction,
    registered.map((seller) => ({ ...seller, seller: ids.get(seller.address) })),
  )
  const others = words.filter((seller) => !seller.registered)
  const isCleared = await clearUnregistered(transaction, others)
  return isWritten || isCleared
}

/** Whether a payment to the address of `registration` is attributed to `facilitator`. */
const hasSettled = sql`exists (
  select from explorer_addresses payee
    join explorer_seller_kinds paid on paid.seller = payee.id and paid.payments > 0
    join explorer_kinds kind on kind.id = paid.kind
  where payee.address = registration.pay_to
    and (kind.network, kind.facilitator) = (registration.network, facilitator.id))`

async function bestWords(
  transaction: DbTransaction,
  keys: readonly RegistrationKey[],
): Promise<readonly SellerWords[]> {
  const { rows } = await sql<SellerWords>`
    select distinct on (key.network, key."payTo") key.network, key."payTo" as address,
      facilitator.id is not null as registered,
      registration.service_name, registration.resource, registration.description
    from ${keysOf(keys)} left join (
        explorer_registrations registration
        join explorer_facilitators facilitator on facilitator.id = registration.source)
      on (registration.network, registration.pay_to) = (key.network, key."payTo")
        and (facilitator.source <> 'announced' or ${hasSettled})
    order by key.network, key."payTo",
      case facilitator.source when 'own' then 0 when 'configured' then 1 else 2 end,
      facilitator.created_at, facilitator.id`.execute(transaction)
  return rows
}

const COLUMNS =
  'network text, seller integer, address text, service_name text, resource text, description text'

async function writeRegistered(
  transaction: DbTransaction,
  sellers: readonly (SellerWords & { readonly seller: number | undefined })[],
): Promise<boolean> {
  if (sellers.length === 0) return false
  const { rows } = await sql`insert into explorer_sellers as seller
      (network, seller, address, registered, service_name, resource, description)
    select network, seller, address, true, service_name, resource, description
    from ${recordset(sellers, COLUMNS)} given order by network, seller
    on conflict (network, seller) do update set registered = true,
      service_name = excluded.service_name, resource = excluded.resource,
      description = excluded.description
    where (seller.registered, seller.service_name, seller.resource, seller.description) is distinct from
      (true, excluded.service_name, excluded.resource, excluded.description)
    returning seller.seller`.execute(transaction)
  return rows.length > 0
}

/** A payment that is written at the same time keeps the row: its lock comes first, or it inserts the row anew. */
async function clearUnregistered(
  transaction: DbTransaction,
  sellers: readonly SellerWords[],
): Promise<boolean> {
  if (sellers.length === 0) return false
  const isGiven = sql`seller.network = given.network and addresses.address = given.address
    and seller.seller = addresses.id and seller.registered`
  const given = sql`${recordset(sellers, 'network text, address text')} given, explorer_addresses addresses`
  const deleted = await sql`delete from explorer_sellers seller using ${given}
    where ${isGiven} and seller.payments = 0 returning seller.seller`.execute(transaction)
  const cleared = await sql`update explorer_sellers seller
    set registered = false, service_name = null, resource = null, description = null
    from ${given} where ${isGiven} returning seller.seller`.execute(transaction)
  return deleted.rows.length + cleared.rows.length > 0
}
