import { expect, vi } from 'vitest'
import type { Settlement } from '../../../src/payments/store/settlements/settlement.ts'
import { maxLedgerOf } from '../../../src/stellar/transactions/settlement-envelope.ts'
import { transactionsAfter, transfersOf } from '../../support/ledger-view.ts'
import { type PaymentBody, usdc } from '../../support/payments.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import type { StackOptions } from '../../support/stack.ts'
import { leasedChannels, rowOf } from '../payments/store-view.ts'
import { openWorld, type World } from '../payments/world.ts'

/** Short enough for a test, in the order of the usual ones. */
const timings = { rebroadcastMs: 400, confirmWindowMs: 60_000, refusedWaitMs: 300 }

export interface FaultWorld extends AsyncDisposable {
  readonly world: World
  /** In front of the network, in the order in which the facilitator knows them. */
  readonly proxies: readonly RpcProxy[]
  settle(body: PaymentBody): Promise<Record<string, unknown>>
  row(body: PaymentBody): Promise<Settlement | undefined>
  /** Resolves once the row holds an envelope; the network may not have received it yet. */
  untilRecorded(body: PaymentBody): Promise<Settlement>
  /** Closes ledgers until neither the transaction of the row nor its authorization can be in one to come. */
  untilTooLate(body: PaymentBody): Promise<void>
}

/** A facilitator that reaches its network through that many endpoints, each of which can be made to fail. */
export async function openFaultWorld(
  endpoints: 1 | 2,
  options: Omit<StackOptions, 'store' | 'rpcThrough'> = {},
): Promise<FaultWorld> {
  await using opened = new AsyncDisposableStack()
  const proxies = await Promise.all(Array.from({ length: endpoints }, startRpcProxy))
  for (const proxy of proxies) opened.use(proxy)
  const world = opened.use(
    await openWorld({
      ...options,
      timings: { ...timings, ...options.timings },
      network: async (localnet) => ({
        rpcUrls: proxies.map((proxy) => proxy.forwardTo(localnet.httpUrl)),
        ...(typeof options.network === 'function'
          ? await options.network(localnet)
          : options.network),
      }),
    }),
  )
  const { stack } = world
  const row = (body: PaymentBody) => rowOf(stack, body)
  const resources = opened.move()
  return {
    world,
    proxies,
    row,
    settle: async (body) => {
      const { status, body: answer } = await stack.post('/settle', body)
      return { status, ...answer }
    },
    untilRecorded: (body) =>
      vi.waitFor(
        async () => {
          const settlement = await row(body)
          if (!settlement?.recorded) throw new Error(`the row is ${settlement?.state ?? 'absent'}`)
          return settlement
        },
        { timeout: 120_000, interval: 20 },
      ),
    untilTooLate: async (body) => {
      const { network } = stack.localnet
      const { maxTime = 0, envelopeXdr } = (await row(body))?.recorded ?? {}
      const maxLedger = (envelopeXdr === undefined ? undefined : maxLedgerOf(envelopeXdr)) ?? 0
      const isOpen = () =>
        network.latest.closeTime <= maxTime || network.latest.sequence < maxLedger
      while (isOpen()) await network.closeLedger()
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

export interface Expected {
  readonly answer: Record<string, unknown>
  readonly transfers: 0 | 1
  readonly row: Record<string, unknown>
  /** @default 0 */
  readonly leased?: number
}

/** The three things that have to agree: what was answered, what is on the ledger, and the row. */
export async function expectEnd(
  { world, row }: FaultWorld,
  { body, after, answer }: { body: PaymentBody; after: number; answer: unknown },
  expected: Expected,
): Promise<void> {
  expect(answer).toMatchObject(expected.answer)
  const { network } = world.stack.localnet
  const paid = transactionsAfter(network, after).flatMap(transfersOf)
  expect(paid.filter(({ contract }) => contract === usdc)).toHaveLength(expected.transfers)
  const settlement = await row(body)
  expect(settlement).toMatchObject(expected.row)
  if (Object(answer).transaction) {
    expect(Object(answer).transaction).toBe(settlement?.recorded?.txHash)
  }
  expect(await leasedChannels(world.stack)).toBe(expected.leased ?? 0)
}

export const settled: Expected = {
  answer: { status: 200, success: true },
  transfers: 1,
  row: { state: 'succeeded', attempt: 1 },
}

export const pending = (transfers: 0 | 1): Expected => ({
  answer: {
    status: 200,
    success: false,
    errorReason: 'settlement_pending',
    transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
  },
  transfers,
  row: { state: 'submitted', attempt: 1 },
  leased: 1,
})

/** By an endpoint: the ledger may have it all the same. */
export const refused = (because: string): Expected => ({
  answer: {
    success: false,
    errorReason: 'settle_exact_stellar_transaction_submission_failed',
    errorMessage: `the network refused the transaction: ${because}`,
    transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
  },
  transfers: 0,
  row: { state: 'submitted', attempt: 1 },
  leased: 1,
})

export const expired: Expected = {
  answer: { success: false, errorReason: 'settle_exact_stellar_transaction_expired' },
  transfers: 0,
  row: { state: 'expired', attempt: 1 },
}

type Json = Record<string, unknown>
const ledgerFields = [
  'latestLedger',
  'latestLedgerCloseTime',
  'oldestLedger',
  'oldestLedgerCloseTime',
]

/** Of a look-up, as if the transaction were nowhere. */
export const hidden = {
  kind: 'rewrite',
  change: (result: Json): Json => ({
    status: 'NOT_FOUND',
    ...Object.fromEntries(ledgerFields.map((name) => [name, result[name]])),
  }),
} as const

/** Of a look through ledgers, as if nothing had landed. */
export const empty = {
  kind: 'rewrite',
  change: (result: Json): Json => ({ ...result, transactions: [] }),
} as const
