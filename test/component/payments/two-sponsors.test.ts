import { expect, test } from 'vitest'
import { channelSigner } from '../../../src/payments/channels/derive.ts'
import { retireChannels } from '../../../src/payments/channels/retire/retire.ts'
import { keysOfSeed } from '../../../src/payments/channels/sponsor-keys.ts'
import { supportedResponseSchema } from '../../../src/payments/protocol/answer-schemas.ts'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/accounts/signer.ts'
import { rpcClient } from '../../../src/stellar/rpc/rpc-client.ts'
import { transactionsAfter, transfersOf } from '../../support/ledger-view.ts'
import { openPaymentStack } from '../../support/payment-stack.ts'
import { openWallet, payment, type Wallet } from '../../support/payments.ts'
import { type Replica, unit } from '../../support/stack.ts'
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

/** Each payer pays again as soon as it has an answer, through one of the replicas that serve at that moment. */
function payConstantly(
  stack: Awaited<ReturnType<typeof openPaymentStack>>,
  serving: readonly Replica[],
  { payers, seller }: { readonly payers: readonly Wallet[]; readonly seller: Wallet },
) {
  const stop = new AbortController()
  const answers: { readonly amount: bigint; readonly success: boolean; readonly why?: string }[] =
    []
  let amount = 0n
  const paying = payers.map(async (payer, index) => {
    for (let turn = index; !stop.signal.aborted; turn += 1) {
      amount += 1n
      const own = amount
      const body = await payment(stack.localnet, { payer, payTo: seller.address, amount: own })
      const replica = serving[turn % serving.length]
      const answer = await replica?.post('/settle', body)
      answers.push({ amount: own, success: answer?.body.success, why: answer?.body.errorReason })
    }
  })
  const stopped = async () => {
    stop.abort()
    await Promise.all(paying)
  }
  return { answers, stop: stopped, [Symbol.asyncDispose]: stopped }
}

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
  await using load = payConstantly(stack, serving, { payers, seller })
  const fewMore = async () => {
    const { length } = load.answers
    await expect
      .poll(() => load.answers.length, { timeout: 240_000 })
      .toBeGreaterThan(length + 2 * CHANNELS)
  }
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

  expect(load.answers.filter(({ success }) => !success)).toEqual([])
  const paid = transactionsAfter(localnet.network, ledger)
    .filter(({ successful }) => successful)
    .flatMap(transfersOf)
    .filter(({ from }) => payers.some(({ address }) => address === from))
    .map(({ amount }) => amount)
  const amounts = load.answers.map(({ amount }) => amount)
  expect(paid.toSorted(byValue)).toEqual(amounts.toSorted(byValue))
  const { rows } = await sponsorsOf(stack)
  expect(rows.map(({ sponsor }) => sponsor)).toEqual([old.address, young.address].toSorted())
})

const byValue = (a: bigint, b: bigint): number => Number(a - b)

const sponsorsOf = async ({ store }: Awaited<ReturnType<typeof openPaymentStack>>) => ({
  rows: await store.db
    .selectFrom('settlements')
    .select('sponsor')
    .distinct()
    .orderBy('sponsor')
    .execute(),
})
