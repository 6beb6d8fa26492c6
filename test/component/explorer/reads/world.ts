import { sql } from 'kysely'
import { exposeExplorerApi } from '../../../../src/explorer/api/expose-api.ts'
import { openReads } from '../../../../src/explorer/open-reads.ts'
import type { ExplorerReads } from '../../../../src/explorer/reads.ts'
import { rollWindows } from '../../../../src/explorer/store/figures/roll-windows.ts'
import {
  type PaymentRow,
  writeLedgers,
} from '../../../../src/explorer/store/ingest/write-ledgers.ts'
import type { NetworkId } from '../../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { inTransaction } from '../../../../src/platform/database/in-transaction.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { createHttpServer } from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics, type Metrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'
import { exposeExplorerOpenApi } from '../../../../src/service/openapi/explorer-route.ts'
import { expectExplorerDescribed } from '../../../support/openapi.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'
import { addressOf, prepareRegistry } from './feed-data.ts'

interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  /** Parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  readonly body: any
}

export interface ExplorerWorld extends AsyncDisposable {
  readonly store: Store
  readonly reads: ExplorerReads
  readonly metrics: Metrics
  /** Also checks the answer against the OpenAPI document. */
  get(path: string, headers?: Record<string, string>): Promise<Answered>
  ask(
    method: 'GET' | 'HEAD' | 'POST' | 'OPTIONS',
    path: string,
    headers?: Record<string, string>,
  ): Promise<Answered>
}

/** The time of the world; a full hour and a half. */
export const NOW = Date.UTC(2026, 9, 1, 12, 30)

/** The analytics interface on a server of its own, over a real store that nothing else writes. */
export async function openWorld(
  fill: (store: Store) => Promise<void>,
  { reads: given }: { reads?: Partial<ExplorerReads> } = {},
): Promise<ExplorerWorld> {
  await using opened = new AsyncDisposableStack()
  const store = opened.use(await openEmptyStore())
  await fill(store)
  const metrics = createMetrics()
  const log = createLogger({ level: 'fatal' })
  const server = opened.use(createHttpServer({ logger: log }))
  const clock = { ...systemClock, now: () => NOW }
  const reads = {
    ...openReads({
      db: store.db,
      clock,
      metrics,
      networks: ['stellar:testnet', 'stellar:pubnet'],
      watchedAssets: { 'stellar:pubnet': [watched] },
    }),
    ...given,
  }
  exposeExplorerApi(server.app, { reads, clock, version: 'test', log, sameUrlMs: 0 })
  exposeExplorerOpenApi(server.app, 'test')
  await server.app.ready()
  const ask: ExplorerWorld['ask'] = async (method, path, headers = {}) => {
    const response = await server.app.inject({ method, url: path, headers })
    const { statusCode: status, payload: text } = response
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    const body = isJson && text !== '' ? JSON.parse(text) : undefined
    if (body !== undefined) expectExplorerDescribed({ method, path, status, body })
    return { status, headers: response.headers, text, body }
  }
  const resources = opened.move()
  return {
    store,
    reads,
    metrics,
    ask,
    get: (path, headers) => ask('GET', path, headers),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

export const watched = addressOf('C', 'watched')

/** Writes payments of both networks, and rolls the windows to the world's time. */
export async function fillPayments(
  { db }: Store,
  payments: Readonly<Record<NetworkId, readonly PaymentRow[]>>,
): Promise<void> {
  const epochs = await prepareRegistry(db)
  for (const network of ['stellar:testnet', 'stellar:pubnet'] as const) {
    await inTransaction(db, (transaction) =>
      writeLedgers(transaction, { network, id: epochs[network] }, payments[network]),
    )
  }
  const roll = () => inTransaction(db, (transaction) => rollWindows(transaction, NOW / 1_000))
  while (!(await roll()));
  await sql`insert into explorer_progress (network, epoch, last_ledger, last_closed_at, high_water,
      head_ledger, last_poll_at, consecutive_failures, last_error)
    values ('stellar:testnet', ${epochs['stellar:testnet']}, 5000, ${NOW / 1_000 - 5}, 5001, 5001,
      '2026-10-01T12:29:58Z', 0, null)`.execute(db)
}

/** Registers a seller, as a catalog that names it does. */
export async function registerSeller(
  { db }: Store,
  network: NetworkId,
  seller: { readonly address: string; readonly name: string },
): Promise<void> {
  const { address, name } = seller
  await sql`insert into explorer_addresses (address) values (${address}) on conflict do nothing`.execute(
    db,
  )
  await sql`insert into explorer_sellers
      (network, seller, address, registered, service_name, resource, description)
    select ${network}, id, address, true, ${name}, ${`https://${name}.example/api`}, ${`About ${name}`}
    from explorer_addresses where address = ${address}
    on conflict (network, seller) do update set registered = true, service_name = excluded.service_name,
      resource = excluded.resource, description = excluded.description`.execute(db)
}
