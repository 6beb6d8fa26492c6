import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type LocalnetServer,
  startLocalnetServer,
} from '../../../../../src/localnet/server/server.ts'
import { provisionChannels } from '../../../../../src/payments/channels/create/provision.ts'
import { channelSigner } from '../../../../../src/payments/channels/derive.ts'
import { RetireFailure } from '../../../../../src/payments/channels/retire/merge-channels.ts'
import {
  type RetireOptions,
  retireChannels,
} from '../../../../../src/payments/channels/retire/retire.ts'
import { RetireRefusal } from '../../../../../src/payments/channels/retire/retire-refusal.ts'
import { keysOfSeed } from '../../../../../src/payments/channels/sponsor-keys.ts'
import { listChannels, putChannels } from '../../../../../src/payments/store/channels/channel.ts'
import { drainChannels } from '../../../../../src/payments/store/channels/retire.ts'
import { claimWithChannel } from '../../../../../src/payments/store/settlements/claim/claim-with-channel.ts'
import { releaseClaim } from '../../../../../src/payments/store/settlements/claim/release.ts'
import { finishSettlement } from '../../../../../src/payments/store/settlements/transitions/finish.ts'
import { recordEnvelope } from '../../../../../src/payments/store/settlements/transitions/record.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import { type Clock, systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { openStore, type Store } from '../../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { secretOfSeed, signerFromSeed } from '../../../../../src/stellar/accounts/signer.ts'
import { rpcClient } from '../../../../../src/stellar/rpc/rpc-client.ts'
import { rewrite } from '../../../../support/ledger-surgery.ts'
import { accountEntry, accountKey, transactionsAfter } from '../../../../support/ledger-view.ts'
import { untilLockWaits } from '../../../../support/lock-waits.ts'
import { freshDatabase, type TestDatabase } from '../../../../support/postgres.ts'
import { startRpcProxy } from '../../../../support/rpc-proxy.ts'
import { emptyTables } from '../../../platform/database/open-stores.ts'
import {
  channelOf,
  claimRequest,
  ending,
  fence,
  leaseOne,
  recording,
} from '../../store/builders.ts'

const network = 'stellar:testnet'
const XLM = 10_000_000n
const inclusionFee = asStroops(100n)

/** How far the network's time is ahead of the machine's. */
let skewMs = 0
const networkClock: Clock = { ...systemClock, now: () => systemClock.now() + skewMs }

let localnet: LocalnetServer
let database: TestDatabase
let store: Store
beforeAll(async () => {
  localnet = await startLocalnetServer({ closeEveryMs: 'manual', clock: networkClock })
  database = await freshDatabase()
  store = await openStore({ kind: 'postgres', url: database.url, poolSize: 8 })
})
afterAll(async () => {
  await store.close()
  await database[Symbol.asyncDispose]()
  await localnet.close()
})

let secret: string
let sponsor: string
let ledger: number
beforeEach(async () => {
  await emptyTables(store)
  const seed = crypto.getRandomValues(new Uint8Array(32))
  secret = secretOfSeed(seed)
  sponsor = signerFromSeed(seed).address
  await localnet.pay({ address: sponsor, asset: 'XLM', amount: 100n * XLM })
})

/** Each sleep closes a ledger, so that no test waits for time to pass. */
const closingClock: Clock = {
  now: () => systemClock.now(),
  sleep: async (_, signal) => {
    signal?.throwIfAborted()
    await localnet.closeLedger()
  },
}

const common = (rpcUrl = localnet.httpUrl) =>
  ({
    network,
    passphrase: localnet.network.passphrase,
    keys: keysOfSeed(secret),
    inclusionFee,
    rpc: rpcClient({ url: rpcUrl, allowHttp: true }),
    store,
    clock: closingClock,
    signal: AbortSignal.timeout(200_000),
  }) as const

async function provision(count: number): Promise<void> {
  await provisionChannels({
    keepSpendable: asStroops(0n),
    ...common(),
    count,
    log: createLogger({ level: 'silent' }),
  })
  ledger = localnet.network.latest.sequence
}

const retire = (count: number, changes: Partial<RetireOptions> = {}) =>
  retireChannels({
    ...common(),
    count,
    besideService: false,
    onProgress: () => undefined,
    ...changes,
  })

const address = (index: number) => channelSigner(secret, network, index).address
const exists = (account: string) => localnet.network.entry(accountKey(account)) !== undefined
const left = (count: number) =>
  Array.from({ length: count }, (_, index) => address(index)).filter(exists).length
const states = async () => (await listChannels(store.db, network)).map(({ state }) => state)
const envelopes = () => transactionsAfter(localnet.network, ledger)

function sponsorState() {
  const { balance, ext } = accountEntry(localnet.network, sponsor)
  const second = ext.type === 'v1' && ext.v1.ext.type === 'v2' ? ext.v1.ext.v2 : undefined
  return { balance, sponsoring: second?.numSponsoring ?? 0 }
}

describe('retiring channels', () => {
  it('returns every reserve, to the stroop, in as few envelopes as can be', async () => {
    await provision(41)
    expect(await retire(41)).toBe(41)
    expect(left(41)).toBe(0)
    expect(sponsorState()).toEqual({
      balance: 100n * XLM - 41n * 4n * inclusionFee,
      sponsoring: 0,
    })
    expect(envelopes().map(({ successful }) => successful)).toEqual([true, true, true])
    expect(new Set(await states())).toEqual(new Set(['retired']))
  })

  it('reports its progress after every envelope', async () => {
    await provision(21)
    const reported: string[] = []
    await retire(21, { onProgress: ({ done, of }) => reported.push(`${done}/${of}`) })
    expect(reported).toEqual(['0/21', '18/21', '21/21'])
  })

  it('sends nothing when nothing is left', async () => {
    await provision(2)
    await retire(2)
    const before = sponsorState()
    expect(await retire(2)).toBe(0)
    expect(sponsorState()).toEqual(before)
    expect(envelopes()).toHaveLength(1)
  })

  it('does nothing for a sponsor that does not exist', async () => {
    const unknown = secretOfSeed(crypto.getRandomValues(new Uint8Array(32)))
    expect(await retire(3, { keys: keysOfSeed(unknown) })).toBe(0)
  })

  it('leaves the channels of another sponsor alone', async () => {
    await provision(2)
    const other = { network, sponsor: 'GOTHER', account: 'GCHANNEL', index: 0 } as const
    await putChannels(store.db, [other])
    await retire(2)
    expect((await listChannels(store.db, network, 'GOTHER'))[0]?.state).toBe('active')
  })

  it('returns XLM that was sent to a channel', async () => {
    await provision(1)
    await localnet.pay({ address: address(0), asset: 'XLM', amount: 7n * XLM })
    await retire(1)
    expect(sponsorState().balance).toBe(107n * XLM - 4n * inclusionFee)
  })

  it('stops leasing retired channels until they are provisioned again', async () => {
    await provision(2)
    await retire(2)
    const refused = await claimWithChannel(store.db, claimRequest('1', { sponsor }))
    expect(refused).toMatchObject({ kind: 'claimed', channel: undefined })
    expect(await leaseOne(store, fence('1'), { network, sponsor })).toEqual({ kind: 'none_free' })
    await releaseClaim(store.db, fence('1'))
    await provision(2)
    const again = channelOf(await claimWithChannel(store.db, claimRequest('1', { sponsor })))
    // Created again in a later ledger: the old sequence number is invalid.
    expect(again.sequence).toBe(accountEntry(localnet.network, again.account).seqNum)
  })

  it('merges each once when two processes do it at the same time', async () => {
    await provision(25)
    await Promise.all([retire(25), retire(25)])
    expect(left(25)).toBe(0)
    expect(sponsorState()).toMatchObject({ sponsoring: 0 })
    expect(new Set(await states())).toEqual(new Set(['retired']))
  })

  it('sends again what no ledger included in time', async () => {
    await using proxy = await startRpcProxy()
    const rpc = rpcClient({ url: proxy.forwardTo(localnet.httpUrl), allowHttp: true })
    await provision(2)
    proxy.fail('sendTransaction', { kind: 'swallow' }, 1)
    const clock: Clock = {
      now: () => systemClock.now(),
      sleep: async () => {
        skewMs += 20_000
        await localnet.closeLedger()
      },
    }
    await retire(2, { rpc, clock })
    expect(proxy.count('sendTransaction')).toBe(2)
    expect(left(2)).toBe(0)
  })

  it('gives up with a message when the network stays busy, and can be repeated', async () => {
    await using proxy = await startRpcProxy()
    const rpc = rpcClient({ url: proxy.forwardTo(localnet.httpUrl), allowHttp: true })
    await provision(2)
    const busy = (result: object) => ({ ...result, status: 'TRY_AGAIN_LATER' })
    proxy.fail('sendTransaction', { kind: 'rewrite', change: busy })
    const clock: Clock = { now: () => 0, sleep: async () => undefined }
    await expect(retire(2, { rpc, clock })).rejects.toThrow(
      new RetireFailure(
        `channels of ${network} could not be merged in 10 tries, the last one with TRY_AGAIN_LATER: ` +
          'the network is busy, or another process uses the sponsor. Try again when that is over',
      ),
    )
    expect(await states()).toEqual(['draining', 'draining'])
    await localnet.closeLedger()
    expect(await retire(2)).toBe(0)
    expect(await states()).toEqual(['retired', 'retired'])
  })

  it('names the result code of its last try', async () => {
    await provision(2)
    // A transaction is valid until a minute after the latest ledger closed, and the next ledger closes later.
    skewMs += 120_000
    const clock: Clock = { now: () => 0, sleep: async () => undefined }
    await expect(retire(2, { clock })).rejects.toThrow(
      new RetireFailure(
        `channels of ${network} could not be merged in 10 tries, the last one with txTooLate: ` +
          'the network closes no ledgers. Try again when svc doctor sees new ones',
      ),
    )
    await localnet.closeLedger()
    expect(await retire(2)).toBe(2)
  })

  it('says what the ledger refuses to merge', async () => {
    await provision(2)
    rewrite(localnet.network, accountKey(address(1)), (data) => {
      if (data.type === 'account') Object.assign(data.account, { numSubEntries: 1 })
    })
    await expect(retire(2)).rejects.toThrow(
      `1 account cannot be merged, such as ${address(1)}: it has entries beside itself`,
    )
    expect(left(2)).toBe(1)
  })
})

describe('the fence of a retirement', () => {
  const claim = (nonce: string, changes = {}) =>
    claimWithChannel(store.db, claimRequest(nonce, { sponsor, ...changes }))

  it.each(['a claim', 'a recorded envelope', 'a claim of another sponsor without a channel'])(
    'refuses for %s, and changes nothing',
    async (what) => {
      await provision(2)
      const outcome = await claim('1', what.includes('another') ? { sponsor: 'GOTHER' } : {})
      if (what === 'a recorded envelope') {
        const { account: channel } = channelOf(outcome)
        expect(await recordEnvelope(store.db, recording('1', { channel }))).toBe(true)
      }
      await expect(retire(2)).rejects.toThrow(RetireRefusal)
      expect(await states()).toEqual(['active', 'active'])
      expect(left(2)).toBe(2)
      if (what === 'a recorded envelope') await finishSettlement(store.db, ending('1'))
      else await releaseClaim(store.db, fence('1'))
      expect(await retire(2)).toBe(2)
    },
  )

  it('leases no channel once a retirement has started, also in a race', async () => {
    await provision(8)
    for (let round = 0; round < 10; round += 1) {
      const nonces = Array.from({ length: 8 }, (_, index) => `${round}/${index}`)
      const [drained, ...claims] = await Promise.all([
        drainChannels(store.db, network, sponsor),
        ...nonces.map((nonce) => claim(nonce)),
      ])
      const leased = claims.filter((outcome) => outcome.kind === 'claimed' && outcome.channel)
      const inState = new Set(await states())
      if (drained.kind === 'draining') {
        expect(leased).toEqual([])
        expect(inState).toEqual(new Set(['draining']))
      } else {
        expect(drained.unfinished).toBeGreaterThan(0)
        expect(inState).toEqual(new Set(['active']))
      }
      await Promise.all(nonces.map((nonce) => releaseClaim(store.db, fence(nonce))))
      await provision(8)
    }
  })

  it('waits for a claim that is just being written, and refuses because of it', async () => {
    await provision(1)
    const written = Promise.withResolvers<void>()
    const finish = Promise.withResolvers<void>()
    const claiming = store.db.transaction().execute(async (transaction) => {
      await transaction
        .updateTable('channels')
        .set({ lease_owner: 'one', lease_expires_at: sql<Date>`'infinity'` })
        .where('sponsor', '=', sponsor)
        .execute()
      written.resolve()
      await finish.promise
    })
    await written.promise
    const drained = drainChannels(store.db, network, sponsor)
    await untilLockWaits(store.db, 1)
    finish.resolve()
    await claiming
    expect(await drained).toEqual({ kind: 'busy', unfinished: 0, leased: 1 })
  })

  it('drains again channels that a service starting in between made active', async () => {
    await provision(21)
    let isRestarted = false
    const onProgress: RetireOptions['onProgress'] = ({ done }) => {
      if (done === 18) isRestarted = true
    }
    const clock: Clock = {
      ...closingClock,
      sleep: async (ms, signal) => {
        if (isRestarted) {
          isRestarted = false
          const { account, index } = { account: address(20), index: 20 }
          await putChannels(store.db, [{ network, sponsor, account, index }])
        }
        await closingClock.sleep(ms, signal)
      },
    }
    expect(await retire(21, { onProgress, clock })).toBe(21)
    expect(new Set(await states())).toEqual(new Set(['retired']))
  })

  it('stops between two envelopes when a service starts to settle', async () => {
    await provision(20)
    await expect(
      retire(20, {
        clock: {
          ...closingClock,
          sleep: async (ms, signal) => {
            await putChannels(store.db, [{ network, sponsor, account: address(20), index: 20 }])
            await claim('1')
            await closingClock.sleep(ms, signal)
          },
        },
      }),
    ).rejects.toThrow(RetireRefusal)
    expect(left(20)).toBe(2)
    await releaseClaim(store.db, fence('1'))
    expect(await retire(20)).toBe(2)
  })
})
