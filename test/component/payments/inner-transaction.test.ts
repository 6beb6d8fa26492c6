import { FeeBumpTransaction, Keypair, rpc, TransactionBuilder } from '@stellar/stellar-sdk'
import { expect, test, vi } from 'vitest'
import type { RecordedEnvelope } from '../../../src/payments/store/settlements/settlement.ts'
import { transactionsAfter, transfersOf } from '../../support/ledger-view.ts'
import { startRpcProxy } from '../../support/rpc-proxy.ts'
import type { Stack } from '../../support/stack.ts'
import { leasedChannels, rowOf, untilState } from './store-view.ts'
import { openWorld } from './world.ts'

/** Sends the inner transaction of the envelope in a fee bump of another account. */
async function sendInside({ localnet }: Stack, { envelopeXdr }: RecordedEnvelope): Promise<void> {
  const key = Keypair.random()
  await localnet.pay({ address: key.publicKey(), asset: 'XLM', amount: 1_000_000_000n })
  const ours = TransactionBuilder.fromXDR(envelopeXdr, localnet.network.passphrase)
  if (!(ours instanceof FeeBumpTransaction)) throw new Error('not a fee bump')
  const theirs = TransactionBuilder.buildFeeBumpTransaction(
    key,
    '10000',
    ours.innerTransaction,
    localnet.network.passphrase,
  )
  theirs.sign(key)
  const server = new rpc.Server(localnet.httpUrl, { allowHttp: true })
  expect(await server.sendTransaction(theirs)).toMatchObject({ status: 'PENDING' })
  await localnet.closeLedger()
}

test('a payment whose inner transaction another party sent in its own fee bump counts as settled', async () => {
  await using proxy = await startRpcProxy()
  await using world = await openWorld({
    rpcThrough: proxy.forwardTo,
    timings: { validitySeconds: 40, rebroadcastMs: 200 },
  })
  const { stack } = world
  const { localnet } = stack
  proxy.fail('sendTransaction', { kind: 'swallow' })
  const body = await world.pay()
  const before = localnet.network.latest.sequence
  const settling = stack.post('/settle', body)
  await untilState(stack, body, 'submitted')
  const recorded = (await rowOf(stack, body))?.recorded
  if (!recorded) throw new Error('nothing was recorded')

  await sendInside(stack, recorded)
  const [landed] = transactionsAfter(localnet.network, before).filter(
    ({ innerHash }) => innerHash === recorded.innerHash,
  )
  expect(landed && transfersOf(landed)).toHaveLength(1)
  while (localnet.network.latest.closeTime <= recorded.maxTime) await localnet.closeLedger()

  const { body: answer } = await settling
  expect(answer).toMatchObject({ success: true, transaction: recorded.innerHash })
  const outcome = { ledger: landed?.ledger, feeCharged: 0n, response: answer }
  expect(await rowOf(stack, body)).toMatchObject({ state: 'succeeded', outcome })
  proxy.heal()
  expect((await stack.post('/settle', body)).body).toEqual(answer)
  await vi.waitFor(async () => expect(await leasedChannels(stack)).toBe(0), { timeout: 120_000 })
})
