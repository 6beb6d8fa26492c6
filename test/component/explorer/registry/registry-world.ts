/** A registry over real Postgres, and real servers of other facilitators for it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { vi } from 'vitest'
import {
  type RegistryFetchers,
  registryFetchers,
} from '../../../../src/explorer/registry/registry-fetchers.ts'
import type { RegistryOptions } from '../../../../src/explorer/registry/registry-options.ts'
import { startRegistry } from '../../../../src/explorer/registry/start-registry.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../src/platform/telemetry/metrics/metrics.ts'
import type { Signer } from '../../../../src/stellar/accounts/signer.ts'
import { proveSigner } from '../../../../src/stellar/accounts/signer-proof.ts'
import { openEmptyStore } from '../../platform/database/open-stores.ts'

export const network = 'stellar:testnet'
export const patience = { timeout: 120_000, interval: 20 }

/** What `/supported` of a stock facilitator looks like. */
export const supportedOf = (signers: readonly string[], more: object = {}) => ({
  kinds: [{ x402Version: 2, scheme: 'exact', network, extra: { areFeesSponsored: true } }],
  extensions: [],
  signers: { 'stellar:*': signers },
  ...more,
})

interface OtherFacilitator {
  readonly baseUrl: string
  readonly port: number
  /** A number is a status without a body. */
  supported: unknown
  /** Whose keys it has: it proves these signers. */
  keys: readonly Signer[]
  /** When its proofs end; a number: the status with which it refuses them. */
  proofs: Date | number
  /** Of its catalog; undefined: it has none; `broken`: no page can be read. */
  items: readonly unknown[] | 'broken' | undefined
  headers: Readonly<Record<string, string>>
  /** Path and query of each request. */
  readonly requests: string[]
}

export interface RegistryWorld extends AsyncDisposable {
  readonly store: Store
  readonly fetchers: RegistryFetchers
  readonly openFacilitator: (supported: unknown) => Promise<OtherFacilitator>
  /** A process of the explorer. */
  readonly start: (options?: Partial<RegistryOptions>) => ReturnType<typeof startRegistry>
  /** Makes every facilitator and every catalog due. */
  readonly makeDue: () => Promise<void>
  /** Facilitator by address, on one network. */
  readonly signers: () => Promise<Readonly<Record<string, string>>>
  readonly facilitator: (id: string) => ReturnType<typeof readRow>
  /** Waits until the facilitators of the addresses are these. */
  readonly untilSigners: (expected: Readonly<Record<string, string>>) => Promise<void>
  /** Between two tests. */
  readonly empty: () => Promise<void>
}

const readRow = ({ db }: Store, id: string) =>
  db.selectFrom('explorer_facilitators').selectAll().where('id', '=', id).executeTakeFirst()

export async function openRegistryWorld(): Promise<RegistryWorld> {
  const store = await openEmptyStore()
  const fetchers = registryFetchers({ allowLoopback: true })
  const ends: (() => void)[] = []
  const signers = async () => {
    const rows = await store.db.selectFrom('explorer_signers').selectAll().execute()
    return Object.fromEntries(rows.map(({ address, facilitator }) => [address, facilitator]))
  }
  return {
    store,
    fetchers,
    openFacilitator: async (supported) => {
      const { facilitator, end } = await openServer(supported)
      ends.push(end)
      return facilitator
    },
    start: (options) =>
      startRegistry({
        db: store.db,
        fetchers,
        configured: [],
        allowLoopback: true,
        rpcs: new Map(),
        clock: systemClock,
        random: () => 0,
        log: createLogger({ level: 'silent' }),
        metrics: createMetrics(),
        everyMs: 20,
        ...options,
      }),
    makeDue: async () => {
      const due_at = new Date(0)
      await store.db
        .updateTable('explorer_facilitators')
        .set({ due_at, catalog_due_at: due_at, lease_until: null })
        .execute()
    },
    signers,
    facilitator: (id) => readRow(store, id),
    untilSigners: (expected) =>
      vi.waitFor(async () => {
        const found = await signers()
        if (!Object.entries(expected).every(([address, id]) => found[address] === id)) {
          throw new Error(`signers are ${JSON.stringify(found)}`)
        }
      }, patience),
    empty: async () => {
      await store.db.deleteFrom('explorer_facilitators').execute()
      await store.db.deleteFrom('explorer_registrations').execute()
      await store.db.deleteFrom('explorer_sellers').execute()
      await store.db.deleteFrom('explorer_seller_kinds').execute()
      await store.db.deleteFrom('listings').execute()
      await store.db.deleteFrom('channels').execute()
      await store.db.deleteFrom('replica_heartbeats').execute()
    },
    [Symbol.asyncDispose]: async () => {
      for (const end of ends) end()
      await fetchers[Symbol.asyncDispose]()
      await store.close()
    },
  }
}

async function openServer(supported: unknown) {
  const requests: string[] = []
  const server = createServer(async ({ url = '' }, response) => {
    requests.push(url)
    const { pathname, searchParams } = new URL(url, 'http://facilitator')
    const { items, headers } = facilitator
    const baseUrl = facilitator.baseUrl + pathname.replace(/\/supported\/proofs$/, '')
    const body = pathname.endsWith('/supported')
      ? facilitator.supported
      : pathname.endsWith('/supported/proofs')
        ? await proofsOf(facilitator, baseUrl)
        : typeof items === 'object'
          ? pageOf(items, searchParams)
          : items
    if (typeof body === 'object') response.writeHead(200, headers).end(JSON.stringify(body))
    else if (typeof body === 'string') response.writeHead(200, headers).end(body)
    else response.writeHead(typeof body === 'number' ? body : 404, headers).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const facilitator: OtherFacilitator = {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    supported,
    keys: [],
    proofs: new Date(Date.now() + 3_600_000),
    items: undefined,
    headers: {},
    requests,
  }
  const end = () => {
    server.close()
    server.closeAllConnections()
  }
  return { facilitator, end }
}

/** 404 without a key, as a stock facilitator answers. */
async function proofsOf(
  { keys, proofs }: OtherFacilitator,
  baseUrl: string,
): Promise<object | number> {
  if (typeof proofs === 'number') return proofs
  if (keys.length === 0) return 404
  const expiresAt = proofs.toISOString()
  const statement = { baseUrl, network, expiresAt } as const
  return { proofs: await Promise.all(keys.map((key) => proveSigner(key, statement))) }
}

function pageOf(items: readonly unknown[], query: URLSearchParams): object {
  const [limit, offset] = [Number(query.get('limit')), Number(query.get('offset'))]
  return {
    x402Version: 2,
    items: items.slice(offset, offset + limit),
    pagination: { limit, offset, total: items.length },
  }
}
