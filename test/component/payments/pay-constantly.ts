/** Payments without a pause, while replicas come and go. */
import { expect } from 'vitest'
import type { LocalnetServer } from '../../../src/localnet/server/server.ts'
import { transactionsAfter, transfersOf } from '../../support/ledger-view.ts'
import { type PaymentBody, payment, type Wallet } from '../../support/payments.ts'

/** A replica, as a seller's client knows it. */
export interface Settling {
  post(
    path: '/settle',
    body: PaymentBody,
  ): Promise<{ readonly body: { readonly success?: boolean; readonly errorReason?: string } }>
}

export interface ConstantLoad extends AsyncDisposable {
  /** Resolves once so many more payments have an answer. */
  more(count: number): Promise<void>
  stop(): Promise<void>
  /** Each payment was answered with success, and is one transfer in the ledgers after this one. */
  expectEachPaidOnce(afterLedger: number): void
}

interface Parties {
  readonly payers: readonly Wallet[]
  readonly seller: Wallet
}

/** Each payer pays again as soon as it has an answer, through one of the replicas that serve at that moment. */
export function payConstantly(
  localnet: LocalnetServer,
  serving: readonly Settling[],
  { payers, seller }: Parties,
): ConstantLoad {
  const stopping = new AbortController()
  const answers: { readonly amount: bigint; readonly success?: boolean; readonly why?: string }[] =
    []
  let amount = 0n
  const paying = payers.map(async (payer, index) => {
    for (let turn = index; !stopping.signal.aborted; turn += 1) {
      amount += 1n
      const own = amount
      const body = await payment(localnet, { payer, payTo: seller.address, amount: own })
      const replica = serving[turn % serving.length]
      const answer = await replica?.post('/settle', body)
      const { success = false, errorReason: why = 'none' } = answer?.body ?? {}
      answers.push({ amount: own, success, ...(!success && { why }) })
    }
  })
  const stop = async () => {
    stopping.abort()
    await Promise.all(paying)
  }
  return {
    more: async (count) => {
      const { length } = answers
      await expect
        .poll(() => answers.length, { timeout: 240_000 })
        .toBeGreaterThanOrEqual(length + count)
    },
    stop,
    expectEachPaidOnce: (afterLedger) => {
      expect(answers.filter(({ success }) => !success)).toEqual([])
      const paid = transactionsAfter(localnet.network, afterLedger)
        .filter(({ successful }) => successful)
        .flatMap(transfersOf)
        .filter(({ from }) => payers.some(({ address }) => address === from))
        .map((transfer) => transfer.amount)
      const amounts = answers.map((each) => each.amount)
      expect(paid.toSorted(byValue)).toEqual(amounts.toSorted(byValue))
    },
    [Symbol.asyncDispose]: stop,
  }
}

const byValue = (a: bigint, b: bigint): number => Number(a - b)
