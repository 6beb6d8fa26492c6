import { Address, Keypair, xdr } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import {
  type ClassifyOptions,
  classifyTransaction,
} from '../../../../src/explorer/classify/classify.ts'
import type { SkipReason } from '../../../../src/explorer/observed-payment.ts'
import { metaOf } from '../../../support/explorer/synthetic-meta.ts'
import {
  buyer,
  channel,
  contract,
  contractEvent,
  credentialsOf,
  mapData,
  NONCE,
  passphrase,
  type SyntheticPlan,
  seller,
  sponsor,
  synthetic,
  transferEvent,
  u64,
} from '../../../support/explorer/synthetic-transaction.ts'
import { addressValue, i128, muxed } from '../../../support/payments.ts'

const upto = 'CAAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQCAIBAEAQC526'
const options: ClassifyOptions = {
  passphrase,
  uptoContracts: new Set([upto]),
  watchedAssets: 'all',
}
const classify = (plan: SyntheticPlan = {}) => classifyTransaction(synthetic(plan), options)

const [from, to] = [buyer, seller].map(addressValue) as [xdr.ScVal, xdr.ScVal]
const none = xdr.ScVal.scvVoid()
const text = xdr.ScVal.scvString('100')
const MOST = 2n ** 127n - 1n
const event = (...changed: Parameters<typeof transferEvent>) => ({
  events: [transferEvent(...changed)],
})

test.each<{ when: string; reason: SkipReason; plan: SyntheticPlan }>([
  { when: 'it failed', reason: 'failed', plan: { changes: { status: 'FAILED' } } },
  {
    when: 'its result contradicts its status',
    reason: 'unreadable',
    plan: { result: xdr.TransactionResultResult.txFailed([]) },
  },
  {
    when: 'it only names a transfer',
    reason: 'other_function',
    plan: { functionName: 'pay', args: [xdr.ScVal.scvSymbol('transfer')] },
  },
  {
    when: 'a constructor spends the authorization',
    reason: 'other_function',
    plan: {
      hostFunction: xdr.HostFunction.hostFunctionTypeCreateContractV2(
        new xdr.CreateContractArgsV2({
          contractIdPreimage: xdr.ContractIdPreimage.contractIdPreimageFromAddress(
            new xdr.ContractIdPreimageFromAddress({
              address: Address.fromString(seller).toScAddress(),
              salt: new Uint8Array(32),
            }),
          ),
          executable: xdr.ContractExecutable.contractExecutableWasm(new Uint8Array(32)),
          constructorArgs: [from, to],
        }),
      ),
    },
  },
  { when: 'an argument is missing', reason: 'wrong_arguments', plan: { args: [from, to] } },
  {
    when: 'there is a fourth argument',
    reason: 'wrong_arguments',
    plan: { args: [from, to, i128(100n), none] },
  },
  { when: 'the amount is text', reason: 'wrong_arguments', plan: { args: [from, to, text] } },
  {
    when: 'the amount is of another width',
    reason: 'wrong_arguments',
    plan: { args: [from, to, u64(100n)] },
  },
  { when: 'nobody pays', reason: 'wrong_arguments', plan: { args: [none, to, i128(100n)] } },
  {
    when: 'the payer is muxed',
    reason: 'wrong_arguments',
    plan: { args: [addressValue(muxed(buyer)), to, i128(100n)] },
  },
  { when: 'nobody is paid', reason: 'wrong_arguments', plan: { args: [from, none, i128(100n)] } },
  {
    when: 'it pays nothing',
    reason: 'amount_out_of_range',
    plan: { args: [from, to, i128(0n)], ...event(i128(0n)) },
  },
  {
    when: 'it pays less than nothing',
    reason: 'amount_out_of_range',
    plan: { args: [from, to, i128(-1n)], ...event(i128(-1n)) },
  },
  { when: 'its payer is its source', reason: 'sent_by_its_sender', plan: { source: buyer } },
  {
    when: 'its payer is its source, muxed',
    reason: 'sent_by_its_sender',
    plan: { source: muxed(buyer) },
  },
  {
    when: 'its payer is the source of the operation, muxed',
    reason: 'sent_by_its_sender',
    plan: { opSource: muxed(buyer) },
  },
  {
    when: 'its payer pays the fee, muxed',
    reason: 'sent_by_its_sender',
    plan: { feeSource: muxed(buyer) },
  },
  { when: 'nobody signed', reason: 'not_authorized_by_sender', plan: { credentials: [] } },
  {
    when: 'another address signed',
    reason: 'not_authorized_by_sender',
    plan: {
      credentials: [xdr.SorobanCredentials.sorobanCredentialsAddress(credentialsOf(sponsor))],
    },
  },
  {
    when: 'the source signed',
    reason: 'not_authorized_by_sender',
    plan: { credentials: [xdr.SorobanCredentials.sorobanCredentialsSourceAccount()] },
  },
  { when: 'there is no event', reason: 'no_matching_transfer', plan: { events: [] } },
  {
    when: 'another contract reports it',
    reason: 'no_matching_transfer',
    plan: event(i128(100n), [from, to], upto),
  },
  {
    when: 'the event has another amount',
    reason: 'no_matching_transfer',
    plan: event(i128(101n)),
  },
  { when: 'the event has no amount', reason: 'no_matching_transfer', plan: event(text) },
  {
    when: 'the map of the event has another amount',
    reason: 'no_matching_transfer',
    plan: event(mapData(u64(1n), 99n)),
  },
  {
    when: 'the event has another payer',
    reason: 'no_matching_transfer',
    plan: event(i128(100n), [to, to]),
  },
  {
    when: 'the event has another payee',
    reason: 'no_matching_transfer',
    plan: event(i128(100n), [from, from]),
  },
  {
    when: 'the event has two topics',
    reason: 'no_matching_transfer',
    plan: event(i128(100n), [from]),
  },
  {
    when: 'the token reports another transfer besides',
    reason: 'several_transfers',
    plan: { events: [transferEvent(), transferEvent(i128(1n), [from, addressValue(sponsor)])] },
  },
])('a transaction is skipped as $reason when $when', ({ plan, reason }) => {
  expect(classify(plan)).toEqual({ skipped: reason })
})

test('the largest amount that a contract can name is a payment', () => {
  const plan = { args: [from, to, i128(MOST)], ...event(i128(MOST)) }
  const meta = metaOf({ used: [NONCE] })
  expect(classify({ ...plan, meta })).toMatchObject({ payment: { amount: MOST } })
})

test('an event of a transaction with the older fee bump result is read', () => {
  const inner = new xdr.InnerTransactionResultPair({
    transactionHash: new Uint8Array(32),
    result: new xdr.InnerTransactionResult({
      feeCharged: 0n,
      result: xdr.InnerTransactionResultResult.txSuccess([]),
      ext: xdr.InnerTransactionResultExt.v0(),
    }),
  })
  const result = xdr.TransactionResultResult.txFeeBumpInnerSuccess(inner)
  const payment = { txSource: channel, feeSource: sponsor, feeCharged: 4_321n }
  expect(classify({ feeSource: sponsor, result })).toMatchObject({ payment })
})

describe('a settlement of up to an amount', () => {
  const args = (actual: xdr.ScVal, ceiling = i128(100n)) => [
    ...[addressValue(contract), from, to, ceiling],
    ...[xdr.ScVal.scvU32(9), u64(1n), actual],
  ]
  const settle = (plan: SyntheticPlan, of = upto) =>
    classify({ contract: of, functionName: 'settle', ...plan })
  const stranger = Keypair.random().publicKey()

  test.each<{ when: string; expected: object; plan: SyntheticPlan }>([
    {
      when: 'less was taken',
      expected: { payment: { scheme: 'upto', asset: contract, amount: 40n, ceiling: 100n, buyer } },
      plan: { args: args(i128(40n)), ...event(i128(40n)) },
    },
    {
      when: 'the buyer signed nothing that the ledger checks',
      expected: { payment: { scheme: 'upto' } },
      plan: { args: args(i128(40n)), ...event(i128(40n)), credentials: [] },
    },
    {
      when: 'it has a hook, and pays a muxed account',
      expected: { payment: { seller, muxedId: 42n } },
      plan: {
        args: args(i128(40n))
          .with(2, addressValue(muxed(seller)))
          .concat(addressValue(stranger)),
        ...event(i128(40n)),
      },
    },
    {
      when: 'nothing was taken',
      expected: { payment: { amount: 0n, ceiling: 100n } },
      plan: { args: args(i128(0n)), events: [] },
    },
    {
      when: 'nothing was taken by a transfer of nothing',
      expected: { payment: { amount: 0n } },
      plan: { args: args(i128(0n)), ...event(i128(0n)) },
    },
    {
      when: 'nothing was to be taken, but something was',
      expected: { skipped: 'no_matching_transfer' },
      plan: { args: args(i128(0n)), ...event(i128(1n)) },
    },
    {
      when: 'more was taken than was signed',
      expected: { skipped: 'amount_out_of_range' },
      plan: { args: args(i128(101n)), ...event(i128(101n)) },
    },
    {
      when: 'less than nothing was taken',
      expected: { skipped: 'amount_out_of_range' },
      plan: { args: args(i128(-1n)), events: [] },
    },
    {
      when: 'the token reports two transfers',
      expected: { skipped: 'several_transfers' },
      plan: { args: args(i128(100n)), events: [transferEvent(), transferEvent()] },
    },
    {
      when: 'an argument is missing',
      expected: { skipped: 'wrong_arguments' },
      plan: { args: args(i128(1n)).slice(0, -1) },
    },
    {
      when: 'the token is an account',
      expected: { skipped: 'wrong_arguments' },
      plan: { args: args(i128(1n)).with(0, from) },
    },
    {
      when: 'the ceiling is text',
      expected: { skipped: 'wrong_arguments' },
      plan: { args: args(i128(1n), text) },
    },
    {
      when: 'the buyer sends it',
      expected: { skipped: 'sent_by_its_sender' },
      plan: { args: args(i128(40n)), ...event(i128(40n)), source: buyer },
    },
  ])('is judged by the configured contract when $when', ({ plan, expected }) => {
    expect(settle(plan)).toMatchObject(expected)
  })

  const settled = (
    data: xdr.ScVal = xdr.ScVal.scvVec([i128(100n), i128(40n)]),
    topics: xdr.ScVal[] = [from],
    emitter = upto,
  ) => contractEvent(emitter, 'upto_settled', topics, data)
  const saysOtherwise = { skipped: 'no_matching_settlement' }
  const isPayment = { payment: { amount: 40n, ceiling: 100n } }

  test.each<{ when: string; expected: object; events: xdr.ContractEvent[] }>([
    { when: 'says the same', expected: isPayment, events: [settled()] },
    {
      when: 'names another payer',
      expected: saysOtherwise,
      events: [settled(undefined, [addressValue(stranger)])],
    },
    {
      when: 'names another ceiling',
      expected: saysOtherwise,
      events: [settled(xdr.ScVal.scvVec([i128(101n), i128(40n)]))],
    },
    {
      when: 'names another amount',
      expected: saysOtherwise,
      events: [settled(xdr.ScVal.scvVec([i128(100n), i128(41n)]))],
    },
    { when: 'comes twice', expected: saysOtherwise, events: [settled(), settled()] },
    {
      when: 'is of a contract of another design, with more members',
      expected: isPayment,
      events: [settled(xdr.ScVal.scvVec([i128(1n), i128(1n), u64(1n)])), settled(i128(1n))],
    },
    {
      when: 'is of a contract that was not called',
      expected: isPayment,
      events: [settled(xdr.ScVal.scvVec([i128(1n), i128(1n)]), [from], contract)],
    },
  ])('whose own event $when', ({ events, expected }) => {
    const withTransfer = [transferEvent(i128(40n)), ...events]
    expect(settle({ args: args(i128(40n)), events: withTransfer })).toMatchObject(expected)
  })

  test('of nothing is recognised by the own event of its contract', () => {
    const event = (actual: bigint) => settled(xdr.ScVal.scvVec([i128(100n), i128(actual)]))
    const plan = (actual: bigint) => ({ args: args(i128(0n)), events: [event(actual)] })
    expect(settle(plan(0n))).toMatchObject({ payment: { amount: 0n, ceiling: 100n } })
    expect(settle(plan(1n))).toEqual(saysOtherwise)
  })

  test('is none by another contract', () => {
    const plan = { args: args(i128(40n)), ...event(i128(40n)) }
    expect(settle(plan, contract)).toEqual({ skipped: 'other_function' })
  })
})
