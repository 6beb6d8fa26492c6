import { expect, test } from 'vitest'
import { provisionChannels } from '../../../../src/payments/channels/create/provision.ts'
import { retireChannels } from '../../../../src/payments/channels/retire/retire.ts'
import { keysOfSeed } from '../../../../src/payments/channels/sponsor-keys.ts'
import { addDrainingChannels } from '../../../../src/payments/store/pools/pool-channels.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { type NetworkId, passphrases } from '../../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import type { Store } from '../../../../src/platform/database/open.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { secretOfSeed, signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'
import { rpcClient } from '../../../../src/stellar/rpc/rpc-client.ts'
import { type Stack, startStack, unit } from '../../../support/stack.ts'
import { HurriedClock, networkOf, timings } from './health-world.ts'

const network: NetworkId = 'stellar:testnet'
const COUNT = 2

async function openWorld(autoProvisionChannels = true) {
  const seed = crypto.getRandomValues(new Uint8Array(32))
  const { address } = signerFromSeed(seed)
  const sponsorSecret = secretOfSeed(seed)
  const clock = new HurriedClock()
  const stack = await startStack({
    closeEveryMs: 'on-send',
    clock,
    timings,
    network: async (localnet) => {
      await localnet.pay({ address, asset: 'XLM', amount: 1_000n * unit })
      return { sponsorSecret, channelCount: COUNT, autoProvisionChannels }
    },
  })
  const options = (store: Store | undefined, secret = sponsorSecret) => ({
    network,
    passphrase: passphrases[network],
    keys: keysOfSeed(secret),
    count: COUNT,
    inclusionFee: asStroops(100n),
    keepSpendable: asStroops(0n),
    rpc: rpcClient({ url: stack.localnet.httpUrl, allowHttp: true }),
    store,
    besideService: true,
    clock: systemClock,
    log: createLogger({ level: 'silent' }),
    signal: AbortSignal.timeout(200_000),
    onProgress: () => undefined,
  })
  return { stack, clock, address, options }
}

/** What a person, a probe and Prometheus see after a poll. */
async function seen(stack: Stack) {
  const { channels } = await networkOf(stack)
  const { status, body } = await stack.get('/ready')
  const { text } = await stack.metrics.expose()
  const usable = /^svc_channels_usable\{.*\} (\d+)$/m.exec(text)?.[1]
  return { status, check: body.checks[`${network}:channels`], total: channels.total, usable }
}

const all = { status: 200, check: { ok: true, detail: '2' }, total: 2, usable: '2' }
const none = { status: 503, check: { ok: false, detail: '0' }, total: 0, usable: '0' }

test('channels retired while the service runs are seen at the next poll', {
  timeout: 240_000,
}, async () => {
  const { stack, options } = await openWorld()
  await using _stack = stack
  expect(await seen(stack)).toEqual(all)
  await retireChannels(options(stack.store))
  expect(await seen(stack)).toEqual(none)
  await provisionChannels(options(stack.store))
  expect(await seen(stack)).toEqual(all)
})

test('channels that only the ledger lost are seen within a minute', {
  timeout: 240_000,
}, async () => {
  const { stack, clock, options } = await openWorld()
  await using _stack = stack
  expect(await seen(stack)).toEqual(all)
  await retireChannels(options(undefined))
  clock.hurry(61_000)
  await stack.localnet.closeLedger()
  expect(await seen(stack)).toMatchObject({ check: none.check, total: 0, usable: '0' })
  await provisionChannels(options(undefined))
  expect(await seen(stack)).toMatchObject({ check: all.check, total: 2, usable: '2' })
})

test('before the first channel the service is not ready, and no metric says that one was lost', {
  timeout: 240_000,
}, async () => {
  const { stack, address, options } = await openWorld(false)
  await using _stack = stack
  expect(await seen(stack)).toEqual({ ...none, usable: undefined })
  const rows = [0, 1].map((index) => ({ index, account: `G${index}` }))
  await stack.store.db
    .transaction()
    .execute((transaction) => addDrainingChannels(transaction, { network, sponsor: address }, rows))
  expect((await seen(stack)).usable).toBeUndefined()
  await stack.store.db.deleteFrom('channels').execute()
  await provisionChannels(options(stack.store))
  expect(await seen(stack)).toEqual(all)
})

test('a sponsor that nobody created channels for after a rotation has lost those of the earlier one', {
  timeout: 240_000,
}, async () => {
  const { stack, options } = await openWorld(false)
  await using _stack = stack
  const seed = crypto.getRandomValues(new Uint8Array(32))
  const { address } = signerFromSeed(seed)
  await stack.localnet.pay({ address, asset: 'XLM', amount: 1_000n * unit })
  const earlier = options(stack.store, secretOfSeed(seed))
  await provisionChannels(earlier)
  // Such channels may be those of another pool.
  expect(await seen(stack)).toEqual({ ...none, usable: undefined })
  await retireChannels(earlier)
  expect(await seen(stack)).toEqual(none)
  await provisionChannels(options(stack.store))
  expect(await seen(stack)).toEqual(all)
})
