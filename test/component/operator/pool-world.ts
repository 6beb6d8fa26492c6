import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '../../../src/core/clock.ts'
import { asStroops } from '../../../src/core/stroops.ts'
import { type LocalnetServer, startLocalnet } from '../../../src/localnet/server.ts'
import {
  type Carried,
  carryOut,
  type PoolHands,
} from '../../../src/operator/channel-pool/carry-out.ts'
import { lookAtLedger } from '../../../src/operator/channel-pool/ledger-view.ts'
import { planPool } from '../../../src/operator/channel-pool/plan.ts'
import type { StellarRpc } from '../../../src/stellar/rpc.ts'
import { rpcClient } from '../../../src/stellar/rpc-client.ts'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/signer.ts'
import type { Store } from '../../../src/store/open.ts'
import { fencedWrites, raiseEpoch } from '../../../src/store/pools/fence.ts'
import { listPoolChannels } from '../../../src/store/pools/pool-channels.ts'
import { openEmptyStore } from '../store/open-stores.ts'

const network = 'stellar:testnet'
const LUMEN = 10_000_000n

/** A sponsor on a real ledger, an empty store, and a leader that carries out what is planned. */
export interface PoolWorld extends AsyncDisposable {
  readonly localnet: LocalnetServer
  readonly store: Store
  readonly rpc: StellarRpc
  readonly sponsor: { readonly address: string; readonly secret: string }
  /** One look, one plan, one step. */
  step(wanted: number, hands?: Partial<PoolHands>): Promise<Carried>
  /** Steps until there is nothing to do; answers what was done. */
  settle(wanted: number, hands?: Partial<PoolHands>): Promise<readonly Carried[]>
  /** Indices of the sponsor's channels that may be leased, by the store. */
  active(): Promise<readonly number[]>
  /** The same ledger and sponsor, and a store that knows nothing. */
  forget(): Promise<PoolWorld>
}

export async function openPoolWorld(lumens = 100n): Promise<PoolWorld> {
  const localnet = await startLocalnet({ closeEveryMs: 'manual' })
  const seed = randomBytes(32)
  const sponsor = { address: signerFromSeed(seed).address, secret: secretOfSeed(seed) }
  await localnet.pay({ address: sponsor.address, asset: 'XLM', amount: lumens * LUMEN })
  return world(localnet, sponsor)
}

async function world(localnet: LocalnetServer, sponsor: PoolWorld['sponsor']): Promise<PoolWorld> {
  const store = await openEmptyStore('postgres')
  const fence = { name: 'x402/operator', epoch: 1n }
  await raiseEpoch(store.db, fence)
  const rpc = rpcClient({ url: localnet.httpUrl, allowHttp: true })
  const pool = { network, sponsor: sponsor.address } as const
  const signal = new AbortController().signal
  const step: PoolWorld['step'] = async (wanted, hands = {}) => {
    const channels = await listPoolChannels(store.db, pool)
    const question = { network, sponsorSecret: sponsor.secret, wanted, channels } as const
    const { accounts } = await lookAtLedger(rpc, question, signal)
    return carryOut(planPool({ wanted, channels, accounts }), accounts, {
      network,
      sponsorSecret: sponsor.secret,
      inclusionFee: asStroops(100n),
      rpc,
      write: fencedWrites(store.db, fence),
      clock: closing(localnet),
      signal,
      tenure: { validitySeconds: 20, mayAct: () => undefined },
      ...hands,
    })
  }
  return {
    localnet,
    store,
    rpc,
    sponsor,
    step,
    settle: async (wanted, hands) => {
      const done: Carried[] = []
      for (let round = 0; round < 200; round++) {
        const carried = await step(wanted, hands)
        if (carried.kind === 'settled') return done
        done.push(carried)
      }
      throw new Error(`not settled after ${JSON.stringify(done.slice(-5))}`)
    },
    active: async () =>
      (await listPoolChannels(store.db, pool))
        .filter(({ state }) => state === 'active')
        .map(({ index }) => index),
    forget: () => world(localnet, sponsor),
    [Symbol.asyncDispose]: async () => {
      await store.close()
      await localnet.close()
    },
  }
}

/** Whoever waits for a ledger closes one, so that no test waits for time to pass. */
const closing = (localnet: LocalnetServer): Clock => ({
  now: () => systemClock.now(),
  sleep: async (_, signal) => {
    signal?.throwIfAborted()
    await localnet.closeLedger()
  },
})
