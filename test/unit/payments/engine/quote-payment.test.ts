import { StrKey, xdr } from '@stellar/stellar-sdk'
import { beforeAll, expect, test } from 'vitest'
import type { PlaceRequest } from '../../../../src/payments/engine/limits/turns/fair-places.ts'
import type { ServedNetwork } from '../../../../src/payments/engine/network/served-network.ts'
import { quotePayment } from '../../../../src/payments/engine/quote-payment.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import type { Simulation } from '../../../../src/stellar/rpc/rpc.ts'
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

interface Parts {
  readonly simulate: (envelope: string, signal: undefined, queue?: SimulationQueue) => Simulation
  readonly newestLedger?: () => Promise<number>
  readonly onTurn?: (name: SimulationQueue, request: PlaceRequest) => void
}

const networkWith = ({ onTurn, ...rpc }: Parts): ServedNetwork =>
  ({
    policy,
    monitor: { inclusionFee: asStroops(100n) },
    time: { secondsPerLedger: 5 },
    stages: { run: (_: string, work: () => unknown) => work() },
    simulations: {
      run: (name: SimulationQueue, request: PlaceRequest, work: () => unknown) => {
        onTurn?.(name, request)
        return work()
      },
    },
    rpc,
  }) as unknown as ServedNetwork

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
  const network = networkWith({
    simulate: (_: string, __: undefined, name?: SimulationQueue) => {
      queues.push(name)
      return simulate(given)
    },
    onTurn: (name, request) => turns.push([name, request]),
  })
  await quotePayment(network, given, { client: 'a client' })
  expect(turns).toEqual([[queue, { caller: 'a client', payer: given.payer }]])
  expect(queues).toEqual([queue])
  expect(payer.publicKey() === given.payer).toBe(queue === 'simulate')
})

/* The simulation runs on ledger 1000; 60 s are 12 ledgers, and two more are granted. */
test.each<{ when: string; last: number; newest: number; asked: number; code?: string }>([
  { when: 'is not asked for where the bound holds', last: 1_014, newest: 1_003, asked: 0 },
  { when: 'counts where the bound does not hold', last: 1_017, newest: 1_003, asked: 1 },
  { when: 'bounds the expiry too', last: 1_018, newest: 1_003, asked: 1, code: 'too_far' },
  {
    when: 'changes nothing when it is the same',
    last: 1_015,
    newest: 1_000,
    asked: 1,
    code: 'too_far',
  },
  { when: 'changes nothing after a reset', last: 1_015, newest: 3, asked: 1, code: 'too_far' },
])('the newest ledger of all endpoints $when', async ({ last, newest, asked, code }) => {
  const given = await payment({ expirationLedger: last })
  let requests = 0
  const network = networkWith({
    simulate: () => simulate(given),
    newestLedger: async () => {
      requests += 1
      return newest
    },
  })
  const quoted = await quotePayment(network, given, { client: 'a client' })
  expect(requests).toBe(asked)
  if (code === undefined) {
    const latestLedger = asked > 0 ? newest : 1_000
    expect(quoted).toMatchObject({ ok: true, quote: { latestLedger, simulatedOn: 1_000 } })
  } else {
    const refused = `invalid_exact_stellar_signature_expiration_${code}`
    expect(quoted).toMatchObject({ ok: false, refusal: { code: refused } })
  }
})
