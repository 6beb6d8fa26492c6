/** Events of classic operations, in the shape of the asset contracts (CAP-67). */
import { type Asset, Memo, Operation, StrKey, xdr } from '@stellar/stellar-sdk'
import { beforeAll, expect, it } from 'vitest'
import { apply, passphrase } from './harness.ts'
import {
  addressOf,
  alice,
  bob,
  issuer,
  nameOf,
  REG,
  regulator,
  USD,
  XLM,
} from './table/accounts.ts'
import { clawback, flags, maintainOnly, muxed, pay } from './table/operations.ts'
import { openStartingLedger, type StartingLedger } from './table/starting-ledger.ts'
import { from, type Send, sendingOf } from './table/transaction.ts'

let ledger: StartingLedger

beforeAll(async () => {
  ledger = await openStartingLedger()
})

/** Topics and data with their types; addresses are names. */
const textOf = (value: xdr.ScVal): string =>
  value.type === 'scvMap'
    ? `{${value.map?.map(({ key, val }) => `${textOf(key)} = ${textOf(val)}`).join(', ')}}`
    : Object.entries(Object(value.toJson()))
        .map(([type, it]) => `${type} ${nameOf(String(it))}`)
        .join()

const fromMuxed = Operation.payment({
  destination: addressOf(bob),
  asset: XLM,
  amount: '5',
  source: muxed(alice, '78'),
})
const regulates = (set: Parameters<typeof flags>[1], holder = alice) =>
  from(regulator, flags(holder, set))
const [usd, reg] = [USD, REG].map((asset) => `string ${asset.toString()}`)
const transfer = 'symbol transfer, address alice, address bob, string native'

it.each<{ when: string; send: Send; asset?: Asset; events: string[] }>([
  { when: 'lumens are paid', send: pay(bob, '5'), events: [`${transfer}, i128 50000000`] },
  {
    when: 'an issuer pays',
    send: from(issuer, pay(alice, '5', USD)),
    asset: USD,
    events: [`symbol mint, address alice, ${usd}, i128 50000000`],
  },
  {
    when: 'an issuer is paid',
    send: pay(issuer, '1', USD),
    asset: USD,
    events: [`symbol burn, address alice, ${usd}, i128 10000000`],
  },
  {
    when: 'the receiver is muxed',
    send: pay(muxed(bob, '77'), '5'),
    events: [`${transfer}, {symbol amount = i128 50000000, symbol to_muxed_id = u64 77}`],
  },
  {
    when: 'the source of the operation is muxed',
    send: fromMuxed,
    events: [`${transfer}, i128 50000000`],
  },
  {
    when: 'a payment has a memo',
    send: { operations: [pay(bob, '5')], memo: Memo.text('rent') },
    events: [`${transfer}, {symbol amount = i128 50000000, symbol to_muxed_id = string rent}`],
  },
  {
    when: 'an issuer claws back',
    send: from(regulator, clawback(alice, '20')),
    asset: REG,
    events: [`symbol clawback, address alice, ${reg}, i128 200000000`],
  },
  {
    when: 'a holder is authorized',
    send: regulates({ authorized: true }, bob),
    asset: REG,
    events: [`symbol set_authorized, address bob, ${reg}, bool true`],
  },
  {
    when: 'a holder may only keep offers from now on',
    send: regulates(maintainOnly),
    asset: REG,
    events: [`symbol set_authorized, address alice, ${reg}, bool false`],
  },
  { when: 'another flag changes', send: regulates({ clawbackEnabled: false }), events: [] },
])('events are $events when $when', async ({ send, asset = XLM, events }) => {
  const { net, start } = ledger
  await net.restore(start)
  const { contractEvents } = await apply(net, await sendingOf(send).build(net))
  const all = contractEvents.flat().map((bytes) => xdr.ContractEvent.fromXdr(bytes))
  expect(all.map(({ body }) => [...body.v0.topics, body.v0.data].map(textOf).join(', '))).toEqual(
    events,
  )
  for (const { contractId } of all) {
    expect(StrKey.encodeContract(contractId?.value ?? new Uint8Array())).toBe(
      asset.contractId(passphrase),
    )
  }
})
