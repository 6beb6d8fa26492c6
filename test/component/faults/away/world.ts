/** Facilitator, catalog and explorer over one database on a Postgres of their own, which a test takes away from them. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { discoveryRoutes } from '../../../../src/catalog/discovery/routes.ts'
import type { SearchAnswer } from '../../../../src/catalog/search/search-service.ts'
import { exposeExplorerApi } from '../../../../src/explorer/api/expose-api.ts'
import { openReads } from '../../../../src/explorer/open-reads.ts'
import { exposeAnnounce } from '../../../../src/explorer/registry/announcement/announce-route.ts'
import { registryFetchers } from '../../../../src/explorer/registry/registry-fetchers.ts'
import { LiveUpdates } from '../../../../src/explorer/web/live/live-updates.ts'
import { exposePages } from '../../../../src/explorer/web/pages.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { StoreUnavailable } from '../../../../src/platform/database/postgres/unavailable.ts'
import { createHttpServer } from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { acceptedKeys } from '../../../support/api-keys.ts'
import { catalogItems } from '../../../support/catalog-listing.ts'
import { openWallet, type PaymentBody, payment } from '../../../support/payments.ts'
import { administer, databaseOf } from '../../../support/postgres-server.ts'
import { type Stack, startStack } from '../../../support/stack.ts'
import {
  type RestartablePostgres,
  startRestartablePostgres,
} from '../../platform/database/restartable-postgres.ts'
import { type Door, startDoor } from './door.ts'
import type { Question } from './questions.ts'

interface Answered {
  readonly path: string
  readonly status: number
  readonly retryAfter: string | null
}

export interface AwayWorld extends AsyncDisposable {
  readonly stack: Stack
  readonly server: RestartablePostgres
  readonly door: Door
  /** The size of the pool. */
  readonly poolSize: number
  /** Runs a statement as superuser, outside of the database of the services. */
  admin(statement: string): Promise<void>
  /** Address of the database, for a superuser. */
  readonly superUrl: string
  /** A payment that was not settled yet. */
  pay(): Promise<PaymentBody>
  /** Sends a request. */
  ask(question: Question, payment: PaymentBody): Promise<Answered>
  /** Why the database does not answer a read: code and message. */
  cause(): Promise<string>
  causeOfWrite(): Promise<string>
}

export const DATABASE = 'svc'
export const ROLE = 'app'
export const PASSWORD = 'hush'

const KEY = 'svc_key'
const POOL_SIZE = 4

export async function openAwayWorld(): Promise<AwayWorld> {
  await using opened = new AsyncDisposableStack()
  const server = opened.use(await startRestartablePostgres())
  const admin = (statement: string) => administer(server.url, statement)
  const superUrl = databaseOf(server.url, DATABASE)
  await admin(`create role ${ROLE} login password '${PASSWORD}'`)
  await admin(`create database ${DATABASE}`)
  await administer(superUrl, `grant all on schema public to ${ROLE}`)
  const door = opened.use(await startDoor(superUrl))
  const url = Object.assign(new URL(door.url), { username: ROLE, password: PASSWORD }).href
  const stack = opened.use(
    await startStack({
      closeEveryMs: 'on-send',
      keys: acceptedKeys(KEY),
      store: {
        kind: 'postgres',
        url,
        poolSize: POOL_SIZE,
        statementTimeoutMs: 3_000,
        connectTimeoutMs: 1_500,
      },
    }),
  )
  const { store, baseUrl, localnet } = stack
  const [payer, seller] = await Promise.all([openWallet(localnet), openWallet(localnet, 1n)])
  const reads = opened.use(await openReadServer(store))
  let clients = 0
  const urls = { facilitator: baseUrl, reads: reads.url }
  const resources = opened.move()
  return {
    stack,
    pay: () => payment(localnet, { payer, payTo: seller.address }),
    server,
    door,
    poolSize: POOL_SIZE,
    admin,
    superUrl,
    ask: async ({ at, path, sends }, payment) => {
      const body = sends === 'announcement' ? { baseUrl } : payment
      const response = await fetch(urls[at] + path, {
        redirect: 'manual',
        headers: {
          'x-api-key': KEY,
          // Announcements of one client are limited.
          'x-forwarded-for': `10.0.${Math.floor(clients / 256)}.${clients++ % 256}`,
          ...(sends && { 'content-type': 'application/json' }),
        },
        ...(sends && { method: 'POST', body: JSON.stringify(body) }),
      })
      await response.arrayBuffer()
      const { status, headers } = response
      return { path, status, retryAfter: headers.get('retry-after') }
    },
    cause: () => causeOf(sql`select from settlements`.execute(store.db)),
    causeOfWrite: () => causeOf(sql`insert into fee_totals default values`.execute(store.db)),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function causeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof StoreUnavailable)) return `not away: ${error}`
  const { code = '', message } = error.cause as { code?: string; message: string }
  return `${code} ${message}`
}

/** The routes of the catalog, of the explorer and its pages. */
async function openReadServer({ db }: Store) {
  await using opened = new AsyncDisposableStack()
  const clock = systemClock
  const log = createLogger({ level: 'silent' })
  const networks = ['stellar:testnet'] as const
  // Answers that are shared for seconds would be given while the database is away.
  const goodForMs = { stats: 0, ecosystem: 0 }
  const reads = openReads({ db, clock, networks, watchedAssets: {}, goodForMs })
  const fetchers = opened.use(registryFetchers({ allowLoopback: true }))
  const server = opened.use(createHttpServer({ logger: log }))
  const live = opened.use(new LiveUpdates({ reads, clock, onError: () => undefined }))
  const { app } = server
  const found: SearchAnswer = {
    itemKeys: [],
    method: 'lexical',
    recognised: [],
    lowConfidence: false,
    partialResults: false,
    revision: 1,
  }
  const search = { search: async () => found }
  discoveryRoutes(app, {
    db,
    items: catalogItems(db),
    search,
    cursorSecret: randomBytes(32),
    clock,
  })
  exposeExplorerApi(app, { reads, clock, version: 'test', log, sameUrlMs: 0 })
  const trustedProxyHops = 1
  exposePages(app, {
    ...{ reads, networks, version: 'test', clock, live, trustedProxyHops },
    sameUrlMs: 0,
  })
  const announcing = { db, fetchers, allowLoopback: true, ownBaseUrls: [], clock }
  exposeAnnounce(app, { ...announcing, trustedProxyHops })
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  const resources = opened.move()
  return { url, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
