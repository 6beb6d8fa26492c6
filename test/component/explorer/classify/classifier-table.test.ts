/**
 * Every kind of payment and of what only looks like one, on the embedded network, in every shape in which a Stellar RPC
 * lists it: the classifier finds the payments, all of them and nothing else.
 */
import { xdr } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Classification,
  type ClassifyOptions,
  classifyTransaction,
} from '../../../../src/explorer/classify/classify.ts'
import type { RawTransaction } from '../../../../src/stellar/rpc/pages/transaction-pages.ts'
import type { PageStart } from '../../../../src/stellar/rpc/pages/transaction-position.ts'
import { rpcClient } from '../../../../src/stellar/rpc/rpc-client.ts'
import { inEveryShape } from '../../../support/explorer/transaction-shapes.ts'
import { usdc } from '../../../support/payments.ts'
import { lookAlikes } from './look-alikes-table.ts'
import { payments, type Sent } from './payments-table.ts'
import { openTableWorld, type TableWorld } from './table-world.ts'

let world: TableWorld
let options: ClassifyOptions
let listed: readonly RawTransaction[]
const sentPayments = new Map<string, Sent>()
const sentLookAlikes = new Map<string, string>()

beforeAll(async () => {
  world = await openTableWorld()
  const { passphrase } = world.stack.localnet.network
  options = { passphrase, uptoContracts: new Set([world.upto]), watchedAssets: 'all' }
  for (const { name, send } of payments) sentPayments.set(name, await send(world))
  for (const { name, send } of lookAlikes) sentLookAlikes.set(name, await send(world))
  listed = await allTransactions(world)
})
afterAll(() => world[Symbol.asyncDispose]())

/** Of all ledgers, by pages as the explorer reads them. */
async function allTransactions({ stack }: TableWorld): Promise<readonly RawTransaction[]> {
  const rpc = rpcClient({ url: stack.localnet.httpUrl, allowHttp: true })
  const found: RawTransaction[] = []
  let start: PageStart = { startLedger: stack.localnet.network.oldest.sequence }
  for (;;) {
    const page = await rpc.transactionsPage(start, 7)
    found.push(...page.transactions)
    if (page.completeThrough === page.latestLedger) return found
    start = page
  }
}

const transaction = (hash: string | undefined): RawTransaction => {
  const found = listed.find(({ txHash }) => txHash === hash)
  if (!found) throw new Error(`${hash} is not listed`)
  return found
}

const classify = (raw: RawTransaction, changes: Partial<ClassifyOptions> = {}) =>
  classifyTransaction(raw, { ...options, ...changes })

/**
 * Fails with the name of the shape.
 * @param payment in a token of its own it needs the meta, which shows that the authorization was used
 */
function expectInEveryShape(
  raw: RawTransaction,
  expected: Classification,
  payment?: Sent['payment'],
): void {
  const needsMeta = payment !== undefined && !payment.classic && payment.scheme === 'exact'
  const without = { skipped: 'not_authorized_by_sender' }
  const found = inEveryShape(raw).map(([shape, each]) => [shape, classify(each)])
  const shapes = inEveryShape(raw).map(([shape, { raw: members }]) => {
    const hasMeta = 'resultMetaXdr' in members || 'resultMetaJson' in members
    return [shape, needsMeta && !hasMeta ? without : expected]
  })
  expect(found).toEqual(shapes)
}

describe('a payment', () => {
  test.each(payments)('$name', ({ name }) => {
    const { hash, payment } = sentPayments.get(name) ?? {}
    const raw = transaction(hash)
    const applied = world.stack.localnet.network.transaction(raw.txHash)
    if (!payment || !applied) throw new Error('it is on no ledger')
    const found = classify(raw)
    if (typeof found === 'string' || !('payment' in found)) throw new Error(JSON.stringify(found))
    expect(found.payment).toMatchObject({
      ...payment,
      txHash: hash,
      ledger: applied.ledger,
      closedAt: applied.closeTime,
      feeCharged: xdr.TransactionResult.fromXdr(applied.resultXdr).feeCharged,
    })
    expect(found.payment.classic).toEqual(payment.classic)
    expectInEveryShape(raw, found, payment)
  })
})

describe('what only looks like a payment', () => {
  test.each(lookAlikes)('$name: $expected', ({ name, expected }) => {
    const raw = transaction(sentLookAlikes.get(name))
    expectInEveryShape(raw, expected === 'no_call' ? expected : { skipped: expected })
  })

  test('a payment in an asset that is not watched', () => {
    const { hash } = sentPayments.get('in lumens') ?? {}
    const watchedAssets = new Set([usdc])
    expect(classify(transaction(hash), { watchedAssets })).toEqual({ skipped: 'unwatched_asset' })
    const { hash: watched } = sentPayments.get('settled by our facilitator') ?? {}
    expect(classify(transaction(watched), { watchedAssets })).toHaveProperty('payment')
  })
})

test('of all transactions of the network, payments are those of the table, and all of them', () => {
  const isPayment = (found: Classification) => typeof found === 'object' && 'payment' in found
  const found = listed.filter((raw) => isPayment(classify(raw))).map(({ txHash }) => txHash)
  const funding = [...sentPayments.values()].map(({ hash }) => hash)
  expect(found.toSorted()).toEqual(funding.toSorted())
})
