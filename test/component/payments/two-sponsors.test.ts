import { expect, test } from 'vitest'
import { channelSigner } from '../../../src/payments/channels/derive.ts'
import { retireChannels } from '../../../src/payments/channels/retire/retire.ts'
import { keysOfSeed } from '../../../src/payments/channels/sponsor-keys.ts'
import { supportedResponseSchema } from '../../../src/payments/protocol/answer-schemas.ts'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/accounts/signer.ts'
import { rpcClient } from '../../../src/stellar/rpc/rpc-client.ts'
import { openPaymentStack } from '../../support/payment-stack.ts'
import { openWallet } from '../../support/payments.ts'
import { type Replica, unit } from '../../support/stack.ts'
import { payConstantly } from './pay-constantly.ts'
import { openWorld } from './world.ts'

/* Replicas of two sponsors over one store, as while a sponsor replaces another. */

const network = 'stellar:testnet'
const CHANNELS = 3

function newSponsor() {
  const seed = crypto.getRandomValues(new Uint8Array(32))
  const sponsorSecret = secretOfSeed(seed)
  const { address } = signerFromSeed(seed)
  const channels = Array.from(
    { length: CHANNELS },
    (_, index) => channelSigner(sponsorSecret, network, index).address,
  )
  return { sponsorSecret, address, signers: [address, ...channels] }
}

const fund = (localnet: Parameters<typeof openWallet>[0], { address }: { address: string }) =>
  localnet.pay({ address, asset: 'XLM', amount: 1_000n * unit })

test('/supported lists the signers of both, its own first, until those of the other are retired', {
  timeout: 240_000,
}, async () => {
  const [old, young] = [newSponsor(), newSponsor()]
  await using world = await openWorld({
    timings: { monitorMs: 100 },
    network: async (localnet) => {
      for (const each of [old, young]) await fund(localnet, each)
      return { sponsorSecret: old.sponsorSecret }
    },
  })
  const { stack } = world
  const signersOf = async ({ baseUrl }: { readonly baseUrl: string }) => {
    const answer = await fetch(`${baseUrl}/supported`)
    return supportedResponseSchema.parse(await answer.json()).signers['stellar:*']
  }
  expect(await signersOf(stack)).toEqual(old.signers)

  await using successor = await stack.replica({ sponsorSecret: young.sponsorSecret })
  expect(await signersOf(successor)).toEqual([...young.signers, ...old.signers])
  await expect.poll(() => signersOf(stack)).toEqual([...old.signers, ...young.signers])

  for (const replica of [stack, successor]) {
    for (const payTo of [...old.signers, ...young.signers]) {
      expect((await replica.post('/verify', await world.pay({ payTo }))).body).toMatchObject({
        invalidReason: 'invalid_exact_stellar_requirements_invalid_pay_to',
      })
    }
  }

  await retireChannels({
    network,
    keys: keysOfSeed(old.sponsorSecret),
    count: CHANNELS,
    inclusionFee: asStroops(100n),
    rpc: rpcClient({ url: stack.localnet.httpUrl, allowHttp: true }),
    store: stack.store,
    besideService: true,
    clock: systemClock,
    signal: AbortSignal.timeout(200_000),
    onProgress: () => undefined,
  })
  await expect.poll(() => signersOf(successor)).toEqual(young.signers)
  for (const payTo of old.signers) {
    expect((await successor.post('/verify', await world.pay({ payTo }))).body).toMatchObject({
      invalidReason: 'invalid_exact_stellar_requirements_invalid_pay_to',
    })
  }
})

test('while replicas move to another sponsor one after the other, every payment is made, and once', {
  timeout: 180_000,
}, async () => {
  const [old, young] = [newSponsor(), newSponsor()]
  await using stack = await openPaymentStack({
    closeEveryMs: 500,
    network: async (localnet) => {
      for (const each of [old, young]) await fund(localnet, each)
      return { sponsorSecret: old.sponsorSecret }
    },
  })
  const { localnet } = stack
  const seller = await openWallet(localnet, 1n)
  // As many as one sponsor has channels: none has to wait.
  const payers = await Promise.all(Array.from({ length: CHANNELS }, () => openWallet(localnet)))
  const ledger = localnet.network.latest.sequence
  const serving: Replica[] = [await stack.replica(), await stack.replica()]
  await using load = payConstantly(localnet, serving, { payers, seller })
  const fewMore = () => load.more(2 * CHANNELS)
  await fewMore()
  for (const place of [0, 1]) {
    const next = await stack.replica({ sponsorSecret: young.sponsorSecret })
    const before = serving.splice(place, 1, next)
    await fewMore()
    await before[0]?.[Symbol.asyncDispose]()
    await fewMore()
  }
  await load.stop()
  for (const replica of serving) await replica[Symbol.asyncDispose]()

  load.expectEachPaidOnce(ledger)
  const { rows } = await sponsorsOf(stack)
  expect(rows.map(({ sponsor }) => sponsor)).toEqual([old.address, young.address].toSorted())
})

const sponsorsOf = async ({ store }: Awaited<ReturnType<typeof openPaymentStack>>) => ({
  rows: await store.db
    .selectFrom('settlements')
    .select('sponsor')
    .distinct()
    .orderBy('sponsor')
    .execute(),
})
