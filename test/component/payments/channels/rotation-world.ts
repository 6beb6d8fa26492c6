/** An embedded network, a Postgres and pairs of sponsors, for tests of rotations. */
import { expect } from 'vitest'
import { type LocalnetServer, startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { provisionChannels } from '../../../../src/payments/channels/create/provision.ts'
import type { RotationOptions } from '../../../../src/payments/channels/rotation/options.ts'
import { keysOfSeed } from '../../../../src/payments/channels/sponsor-keys.ts'
import { listChannels } from '../../../../src/payments/store/channels/channel.ts'
import {
  deleteHeartbeats,
  writeHeartbeats,
} from '../../../../src/payments/store/replica-heartbeats.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { type Clock, systemClock } from '../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import type { StellarRpc } from '../../../../src/stellar/rpc/rpc.ts'
import { rpcClient } from '../../../../src/stellar/rpc/rpc-client.ts'
import {
  channelAddresses,
  network,
  newSponsor,
  type Sponsor,
  stroopsOf,
  XLM,
} from '../../../support/sponsors.ts'
import { emptyTables, openEmptyStore } from '../../platform/database/open-stores.ts'

export { network, newSponsor, type Sponsor as TestSponsor, XLM } from '../../../support/sponsors.ts'

export const CHANNELS = 3

export interface RotationWorld extends AsyncDisposable {
  readonly localnet: LocalnetServer
  readonly store: Store
  readonly rpc: StellarRpc
  /** Each sleep closes a ledger, so that no test waits for time to pass. */
  readonly clock: Clock
  /** Two sponsors with 100 XLM each, of which the first has channels. */
  pair(servesUpto?: boolean): Promise<readonly [Sponsor, Sponsor]>
  options(from: Sponsor, to: Sponsor, changes?: Partial<RotationOptions>): RotationOptions
  provision(sponsor: Sponsor, servesUpto?: boolean): Promise<void>
  /** The replica serves this sponsor alone from now on; undefined: it has stopped. */
  serves(replica: string, sponsor: Sponsor | undefined): Promise<void>
  /** XLM of these accounts and of all channels of these sponsors, and what the ledgers charged them since. */
  total(since: number, ...sponsors: readonly Sponsor[]): Promise<bigint>
  /** Whether the account is on the ledger, and its channels' states in the store. */
  seen(sponsor: Sponsor): Promise<{ exists: boolean; onLedger: number; states: string[] }>
}

export async function openRotationWorld(): Promise<RotationWorld> {
  const localnet = await startLocalnetServer({ closeEveryMs: 'manual' })
  const store = await openEmptyStore()
  const rpc = rpcClient({ url: localnet.httpUrl, allowHttp: true })
  const clock: Clock = {
    now: () => systemClock.now(),
    sleep: async (_, signal) => {
      signal?.throwIfAborted()
      await localnet.closeLedger()
    },
  }
  const options = (
    from: Sponsor,
    to: Sponsor,
    changes: Partial<RotationOptions> = {},
  ): RotationOptions => ({
    network,
    from: keysOfSeed(from.secret),
    to: keysOfSeed(to.secret),
    count: undefined,
    leastCount: CHANNELS,
    servesUpto: false,
    mode: 'planned',
    sweep: 'merge',
    inclusionFee: asStroops(100n),
    inclusionFeeCap: asStroops(10_000n),
    keepSpendable: asStroops(25n * XLM),
    rpc,
    store,
    clock,
    signal: AbortSignal.timeout(200_000),
    say: () => undefined,
    ...changes,
  })
  const provision = (sponsor: Sponsor, servesUpto = false) =>
    provisionChannels({
      ...options(sponsor, sponsor),
      keys: keysOfSeed(sponsor.secret),
      count: CHANNELS,
      servesUpto,
      log: createLogger({ level: 'silent' }),
    })
  return {
    localnet,
    store,
    rpc,
    clock,
    pair: async (servesUpto) => {
      await emptyTables(store)
      await store.db.deleteFrom('replica_heartbeats').execute()
      const [from, to] = [newSponsor(), newSponsor()]
      for (const { address } of [from, to]) {
        await localnet.pay({ address, asset: 'XLM', amount: 100n * XLM })
      }
      await provision(from, servesUpto)
      return [from, to]
    },
    options,
    provision,
    serves: async (replica, sponsor) => {
      await deleteHeartbeats(store.db, replica)
      if (sponsor) {
        await writeHeartbeats(store.db, replica, [{ network, sponsor: sponsor.address }])
      }
    },
    total: async (since, ...sponsors) =>
      stroopsOf(localnet.network, since, { sponsors, channels: CHANNELS }),
    seen: async (sponsor) => {
      const channels = channelAddresses(sponsor, CHANNELS)
      const accounts = await rpc.accounts([sponsor.address, ...channels])
      const stored = await listChannels(store.db, network, sponsor.address)
      return {
        exists: accounts.has(sponsor.address),
        onLedger: channels.filter((address) => accounts.has(address)).length,
        states: [...new Set(stored.map(({ state }) => state))],
      }
    },
    [Symbol.asyncDispose]: async () => {
      await store.close()
      await localnet.close()
    },
  }
}

/** What a finished rotation leaves. */
export async function expectRotated(
  world: RotationWorld,
  from: Sponsor,
  to: Sponsor,
): Promise<void> {
  expect(await world.seen(from)).toEqual({ exists: false, onLedger: 0, states: ['retired'] })
  expect(await world.seen(to)).toEqual({ exists: true, onLedger: CHANNELS, states: ['active'] })
}
