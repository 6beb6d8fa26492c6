import { randomBytes, randomUUID } from 'node:crypto'
import { PoolBackoff } from '../../../../../src/kubernetes/operator/channel-pool/converge/backoff.ts'
import {
  converge,
  type PoolResult,
} from '../../../../../src/kubernetes/operator/channel-pool/converge/converge.ts'
import {
  type LocalnetServer,
  startLocalnetServer,
} from '../../../../../src/localnet/server/server.ts'
import {
  type Applied,
  type ApplyDeps,
  applyPlan,
} from '../../../../../src/payments/channels/converge/apply.ts'
import { readFacts } from '../../../../../src/payments/channels/converge/facts.ts'
import { planPool } from '../../../../../src/payments/channels/converge/plan.ts'
import { provisionChannels } from '../../../../../src/payments/channels/create/provision.ts'
import { authoritySigner } from '../../../../../src/payments/channels/derive.ts'
import { keysOfSeed } from '../../../../../src/payments/channels/sponsor-keys.ts'
import { fencedWrites, raiseEpoch } from '../../../../../src/payments/store/pools/fence.ts'
import { listPoolChannels } from '../../../../../src/payments/store/pools/pool-channels.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import { type Clock, systemClock } from '../../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { secretOfSeed, signerFromSeed } from '../../../../../src/stellar/accounts/signer.ts'
import type { StellarRpc } from '../../../../../src/stellar/rpc/rpc.ts'
import { rpcClient } from '../../../../../src/stellar/rpc/rpc-client.ts'
import { openEmptyStore } from '../../../platform/database/open-stores.ts'

const network = 'stellar:testnet'
const LUMEN = 10_000_000n

/** A sponsor on a real ledger, an empty store, and a leader that plans and applies. */
export interface PoolWorld extends AsyncDisposable {
  readonly localnet: LocalnetServer
  readonly store: Store
  readonly rpc: StellarRpc
  readonly sponsor: { readonly address: string; readonly secret: string }
  /** Observes, plans and applies once. */
  pass(desired: number, deps?: Partial<ApplyDeps>): Promise<Applied>
  /** Passes until nothing changes; returns what they applied. */
  converge(desired: number, deps?: Partial<ApplyDeps>): Promise<readonly Applied[]>
  /** What the operator does in one pass, and the same again until nothing changes. */
  maintain(desired: number, options?: Maintenance): Promise<PoolResult>
  /** Indices of the channels that the store lets settlements lease. */
  active(): Promise<readonly number[]>
  /** The same ledger and sponsor with an empty store. */
  withEmptyStore(): Promise<PoolWorld>
  /** What `svc provision` does: it marks nothing. */
  provision(count: number): Promise<void>
}

interface Maintenance {
  readonly takeOver?: string
  /** Of the pool's status. */
  readonly takenOver?: string | undefined
  readonly backoff?: PoolBackoff
  readonly rpc?: StellarRpc
  /** @default until nothing changes, or the sponsor cannot pay */
  readonly passes?: number
  /** Unix ms. */
  readonly now?: () => number
}

const spec = { minSponsorBalanceXlm: '0', fees: { inclusion: { floorStroops: '100' } } }

export async function openPoolWorld(lumens = 100n): Promise<PoolWorld> {
  const localnet = await startLocalnetServer({ closeEveryMs: 'manual' })
  const seed = randomBytes(32)
  const sponsor = { address: signerFromSeed(seed).address, secret: secretOfSeed(seed) }
  await localnet.pay({ address: sponsor.address, asset: 'XLM', amount: lumens * LUMEN })
  return world(localnet, sponsor)
}

async function world(localnet: LocalnetServer, sponsor: PoolWorld['sponsor']): Promise<PoolWorld> {
  const store = await openEmptyStore()
  const fence = { name: 'x402/operator', epoch: 1n }
  await raiseEpoch(store.db, fence)
  const rpc = rpcClient({ url: localnet.httpUrl, allowHttp: true })
  const pool = { network, sponsor: sponsor.address } as const
  const signal = new AbortController().signal
  // Databases of tests are copies of one, id included.
  const storeId = randomUUID()
  await store.db.updateTable('store_identity').set({ id: storeId }).execute()
  const pass: PoolWorld['pass'] = async (desired, deps = {}) => {
    const authority = authoritySigner(sponsor.secret, network)
    const query = {
      network,
      keys: keysOfSeed(sponsor.secret),
      desired,
      searchUpTo: 1_000,
      authorities: [authority.address],
    } as const
    const facts = await readFacts(query, { store, rpc, signal })
    const { sponsor: account, accounts, mark } = facts
    if (!account) throw new Error('the sponsor does not exist')
    const none = asStroops(0n)
    return applyPlan(planPool({ ...facts, desired }), accounts, {
      storeId,
      mark,
      authorities: [authority],
      network,
      keys: keysOfSeed(sponsor.secret),
      inclusionFee: asStroops(100n),
      rpc,
      write: fencedWrites(store.db, fence),
      store,
      clock: closing(localnet),
      signal,
      tenure: { validitySeconds: 20, assertLasts: () => undefined },
      funds: { sponsor: account, floor: none, promised: none },
      ...deps,
    })
  }
  const write = fencedWrites(store.db, fence)
  const maintain: PoolWorld['maintain'] = async (desired, options = {}) => {
    const { backoff = new PoolBackoff(), passes = 100, now } = options
    const takeOver = { from: options.takeOver, done: options.takenOver }
    const connected = {
      network,
      keys: keysOfSeed(sponsor.secret),
      sponsor: sponsor.address,
      source: { secretRef: { name: 'sponsor', key: 'seed' } },
      store,
      election: fence.name,
      write,
      rpc: options.rpc ?? rpc,
      storeId,
      unknownMigration: undefined,
      dependencies: {},
      freed: () => undefined,
    } as const
    const clock = { ...closing(localnet), ...(now && { now }) }
    const leadership = {
      validitySeconds: 20,
      assertLasts: () => undefined,
      fence,
    }
    const pool = { uid: 'pool', users: [], spec: spec as never, desired }
    for (let pass = 1; ; pass++) {
      const all = { ...pool, connected, leadership, clock, signal, takeOver, backoff }
      const result = await converge(all)
      const isOver = result.applied.kind === 'unchanged' || result.applied.kind === 'short'
      if (pass === passes || (isOver && options.passes === undefined)) return result
    }
  }
  return {
    maintain,
    localnet,
    store,
    rpc,
    sponsor,
    pass,
    converge: async (desired, deps) => {
      const done: Applied[] = []
      for (let count = 0; count < 200; count++) {
        const applied = await pass(desired, deps)
        if (applied.kind === 'unchanged') return done
        done.push(applied)
      }
      throw new Error(`not converged after ${JSON.stringify(done.slice(-5))}`)
    },
    active: async () =>
      (await listPoolChannels(store.db, pool))
        .filter(({ state }) => state === 'active')
        .map(({ index }) => index),
    withEmptyStore: () => world(localnet, sponsor),
    provision: (count) =>
      provisionChannels({
        network,
        keys: keysOfSeed(sponsor.secret),
        count,
        servesUpto: true,
        inclusionFee: asStroops(100n),
        keepSpendable: asStroops(0n),
        rpc,
        store,
        clock: closing(localnet),
        log: createLogger({ level: 'silent' }),
        signal,
      }),
    [Symbol.asyncDispose]: async () => {
      await store.close()
      await localnet.close()
    },
  }
}

/** A sleep closes a ledger instead: tests do not wait for real time. */
const closing = (localnet: LocalnetServer): Clock => ({
  now: () => systemClock.now(),
  sleep: async (_, signal) => {
    signal?.throwIfAborted()
    await localnet.closeLedger()
  },
})
