import { sql } from 'kysely'
import type { Db } from '../../../platform/database/schema.ts'
import { recordset } from '../ingest/recordset.ts'
import { inChunks, keysOf, type Registration, type RegistrationKey } from './registrations.ts'
import { refreshSellers } from './registrations-sellers.ts'

const COLUMNS = 'network text, "payTo" text, "serviceName" text, resource text, description text'

/**
 * Makes the registrations of one facilitator's catalog those that were read, one for each address and network. Returns
 * whether anything changed; undefined when another process registers: read the catalog again soon.
 */
export async function replaceRegistrations(
  db: Db,
  source: string,
  registrations: readonly Registration[],
): Promise<boolean | undefined> {
  const named = new Set(registrations.map(nameOf))
  const gone = (await keysOfSource(db, source)).filter((key) => !named.has(nameOf(key)))
  const isRemoved = await inChunks(db, gone, async (transaction, chunk) => {
    const { rows } =
      await sql`delete from explorer_registrations registration using ${keysOf(chunk)}
      where source = ${source} and (registration.network, registration.pay_to) = (key.network, key."payTo")
      returning registration.pay_to`.execute(transaction)
    const isRefreshed = await refreshSellers(transaction, chunk)
    return isRefreshed || rows.length > 0
  })
  if (isRemoved === undefined) return undefined
  const isWritten = await inChunks(db, registrations, async (transaction, chunk) => {
    const { rows } = await sql`insert into explorer_registrations as registration
        (source, network, pay_to, service_name, resource, description)
      select ${source}, network, "payTo", "serviceName", resource, description
      from ${recordset(chunk, COLUMNS)} read
      where exists (select from explorer_facilitators where id = ${source})
      order by network, "payTo"
      on conflict (source, network, pay_to) do update set service_name = excluded.service_name,
        resource = excluded.resource, description = excluded.description, seen_at = excluded.seen_at
      where (registration.service_name, registration.resource, registration.description) is distinct from
        (excluded.service_name, excluded.resource, excluded.description)
      returning registration.pay_to`.execute(transaction)
    // Refreshes all sellers, not only the changed ones: another catalog may have gained or lost its rank meanwhile.
    const isRefreshed = await refreshSellers(transaction, chunk)
    return isRefreshed || rows.length > 0
  })
  return isWritten === undefined ? undefined : isRemoved || isWritten
}

/** Names again the sellers of a catalog that could not be read: their payments may be attributed to another facilitator by now. */
export async function refreshRegistered(db: Db, source: string): Promise<boolean> {
  return (await inChunks(db, await keysOfSource(db, source), refreshSellers)) ?? false
}

/** Removes the registrations of facilitators that left the registry. Returns whether there were any. */
export async function removeOrphans(db: Db): Promise<boolean> {
  const { rows } = await sql<{ source: string }>`
    select distinct source from explorer_registrations registration where not exists (
      select from explorer_facilitators where id = registration.source)`.execute(db)
  for (const { source } of rows) await replaceRegistrations(db, source, [])
  return rows.length > 0
}

async function keysOfSource(db: Db, source: string): Promise<readonly RegistrationKey[]> {
  const rows = await db
    .selectFrom('explorer_registrations')
    .select(['network', 'pay_to'])
    .where('source', '=', source)
    .execute()
  return rows.map(({ network, pay_to: payTo }) => ({ network, payTo }))
}

const nameOf = ({ network, payTo }: RegistrationKey): string => `${network} ${payTo}`
