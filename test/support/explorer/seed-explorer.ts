import { rollWindows } from '../../../src/explorer/store/figures/roll-windows.ts'
import { beginEpoch } from '../../../src/explorer/store/ingest/epochs.ts'
import {
  type EpochKey,
  moveProgress,
  readProgress,
} from '../../../src/explorer/store/ingest/progress.ts'
import { type PaymentRow, writeLedgers } from '../../../src/explorer/store/ingest/write-ledgers.ts'
import { refreshSellers } from '../../../src/explorer/store/registry/registrations-sellers.ts'
import type { NetworkId } from '../../../src/platform/core/caip2.ts'
import { inTransaction } from '../../../src/platform/database/in-transaction.ts'
import type { Db } from '../../../src/platform/database/schema.ts'
import type { Market } from './believable-market.ts'

/** Payments of one transaction. */
const CHUNK = 1_000

/** Begins to follow a network, as the first poll of ingest does. */
export async function beginNetwork(
  db: Db,
  network: NetworkId,
  head: { readonly ledger: number; readonly closedAt: number },
  startedAt: Date,
): Promise<EpochKey> {
  const epoch = await inTransaction(db, (transaction) =>
    beginEpoch(transaction, network, undefined, {
      tailFrom: head.ledger,
      backfill: { from: 1, through: 0 },
      headLedger: head.ledger,
      headClosedAt: head.closedAt,
    }),
  )
  await db
    .updateTable('explorer_epochs')
    .set({ started_at: startedAt })
    .where('id', '=', epoch.id)
    .execute()
  return epoch
}

/** Writes payments and moves the tail past their ledgers, in one transaction, as ingest does. */
export const ingestPayments = (
  db: Db,
  epoch: EpochKey,
  payments: readonly PaymentRow[],
): Promise<void> =>
  inTransaction(db, async (transaction) => {
    await writeLedgers(transaction, epoch, payments)
    const progress = await readProgress(transaction, epoch.network)
    const last = payments.at(-1)
    if (!progress || !last || last.ledger <= progress.lastLedger) return
    await moveProgress(transaction, epoch, {
      from: progress.lastLedger,
      lastLedger: last.ledger,
      lastClosedAt: last.closedAt,
      headLedger: last.ledger,
    })
  })

/** Fills an empty store with a market, with windows that end now. */
export async function seedMarket(db: Db, market: Market, nowSeconds: number): Promise<EpochKey> {
  await addFacilitators(db, market)
  const [oldest] = market.payments
  const epoch = await beginNetwork(
    db,
    market.network,
    { ledger: (oldest?.ledger ?? 1) - 1, closedAt: oldest?.closedAt ?? nowSeconds },
    new Date((nowSeconds - 31 * 86_400) * 1_000),
  )
  for (let start = 0; start < market.payments.length; start += CHUNK) {
    await ingestPayments(db, epoch, market.payments.slice(start, start + CHUNK))
  }
  await addServices(db, market)
  while (!(await inTransaction(db, (transaction) => rollWindows(transaction, nowSeconds)))) {
    // Again, by a part of the way.
  }
  return epoch
}

async function addFacilitators(db: Db, { facilitators, network }: Market): Promise<void> {
  for (const { id, displayName, source, baseUrl, signers } of facilitators) {
    await db
      .insertInto('explorer_facilitators')
      .values({
        id,
        display_name: displayName,
        source,
        base_url: baseUrl ?? null,
        verified: true,
        networks: [network],
        last_seen_at: new Date(0),
      })
      .execute()
    await db
      .insertInto('explorer_signers')
      .values(signers.map((address) => ({ network, address, facilitator: id })))
      .execute()
  }
}

/** As the catalog of the first facilitator lists them. */
async function addServices(db: Db, { services, facilitators, network }: Market): Promise<void> {
  const [catalog] = facilitators
  if (!catalog || services.length === 0) return
  await db
    .insertInto('explorer_registrations')
    .values(
      services.map(({ payTo, serviceName, resource, description }) => ({
        source: catalog.id,
        network,
        pay_to: payTo,
        service_name: serviceName,
        resource,
        description,
      })),
    )
    .execute()
  await inTransaction(db, (transaction) =>
    refreshSellers(
      transaction,
      services.map(({ payTo }) => ({ network, payTo })),
    ),
  )
}
