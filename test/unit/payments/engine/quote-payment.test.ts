import { StrKey, xdr } from '@stellar/stellar-sdk'
import { beforeAll, expect, test } from 'vitest'
import type { PlaceRequest } from '../../../../src/payments/engine/limits/turns/fair-places.ts'
import type { ServedNetwork } from '../../../../src/payments/engine/network/served-network.ts'
import { quotePayment } from '../../../../src/payments/engine/quote-payment.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import type { SimulationQueue } from '../../../../src/stellar/rpc/simulation-queue.ts'
import {
  openHost,
  type PaymentOptions,
  payer,
  payment,
  policy,
  simulate,
  smartAccount,
} from '../protocol/host-world.ts'

beforeAll(openHost)

const contractWith = (bytes: number): PaymentOptions => ({
  from: StrKey.encodeContract(Buffer.alloc(32, 7)),
  signer: 'nobody',
  signature: xdr.ScVal.scvBytes(Buffer.alloc(bytes)),
})

test.each<{
  who: string
  options: () => PaymentOptions | Promise<PaymentOptions>
  queue: SimulationQueue
}>([
  { who: 'an account', options: () => ({}), queue: 'simulate' },
  {
    who: 'an account that pays a contract',
    options: async () => ({ payTo: await smartAccount('quiet') }),
    queue: 'simulate',
  },
  { who: 'a contract', options: () => contractWith(100), queue: 'simulate_contract' },
  { who: 'a contract with 20 KiB', options: () => contractWith(20_000), queue: 'simulate_large' },
])('a payment of $who takes the turn of its client in $queue', async ({ options, queue }) => {
  const given = await payment(await options())
  const turns: [SimulationQueue, PlaceRequest][] = []
  const queues: (SimulationQueue | undefined)[] = []
  const network = {
    policy,
    monitor: { inclusionFee: asStroops(100n) },
    time: { secondsPerLedger: 5 },
    stages: { run: (_: string, work: () => unknown) => work() },
    simulations: {
      run: (name: SimulationQueue, request: PlaceRequest, work: () => unknown) => {
        turns.push([name, request])
        return work()
      },
    },
    rpc: {
      simulate: (_: string, __: undefined, name?: SimulationQueue) => {
        queues.push(name)
        return simulate(given)
      },
    },
  } as unknown as ServedNetwork
  await quotePayment(network, given, { client: 'a client' })
  expect(turns).toEqual([[queue, { caller: 'a client', payer: given.payer }]])
  expect(queues).toEqual([queue])
  expect(payer.publicKey() === given.payer).toBe(queue === 'simulate')
})
