import { scValToNative, xdr } from '@stellar/stellar-sdk'
import { beforeEach, expect, test } from 'vitest'
import { address, call, deployFixture, i128, run, source, transferOf, u32 } from './invocation.ts'
import { keypair, TestLedger } from './test-ledger.ts'

const holder = keypair('holder')
const payee = keypair('payee')
let ledger: TestLedger
beforeEach(() => {
  ledger = new TestLedger(source, holder, payee)
})

const from = holder.publicKey()
const to = payee.publicKey()
const truth = ['transfer', from, to, 5n]

test.each<{ mode: number; when: string; reports: (token: string) => unknown[][] }>([
  { mode: 0, when: 'correct', reports: () => [truth] },
  { mode: 1, when: 'repeating itself', reports: () => [truth, truth] },
  { mode: 2, when: 'lying about the amount', reports: () => [['transfer', from, to, 6n]] },
  { mode: 3, when: 'lying about the payer', reports: (token) => [['transfer', token, to, 5n]] },
  { mode: 4, when: 'lying about the payee', reports: (token) => [['transfer', from, token, 5n]] },
  { mode: 5, when: 'calling it a mint', reports: () => [['mint', from, to, 5n]] },
  { mode: 6, when: 'silent', reports: () => [] },
  { mode: 7, when: 'ringing', reports: () => [truth, ['rung', 1]] },
  { mode: 8, when: 'verbose', reports: () => [['transfer', from, to, { amount: 5n }]] },
])('a token that is $when moves the amount and emits its events', async ({ mode, reports }) => {
  const bell = await deployFixture(ledger, 'bell')
  const token = await deployFixture(ledger, 'trick-token', u32(mode), address(bell))
  await run(ledger, call(token, 'mint', address(from), i128(9n)))
  const transfer = transferOf(token, holder, payee, 5n)
  const { events } = await run(ledger, transfer, holder)
  const emitted = events.map((bytes) => {
    const { body } = xdr.ContractEvent.fromXdr(bytes)
    return [...body.v0.topics, body.v0.data].map((value) => scValToNative(value))
  })
  expect(emitted).toEqual(reports(token))
  const { value } = await run(ledger, call(token, 'balance', address(to)))
  expect(scValToNative(xdr.ScVal.fromXdr(value))).toBe(5n)
})

test('a guarded token moves nothing when its bell does not agree', async () => {
  const bell = await deployFixture(ledger, 'bell')
  const token = await deployFixture(ledger, 'trick-token', u32(9), address(bell))
  await run(ledger, call(token, 'mint', address(from), i128(9n)))
  const transfer = transferOf(token, holder, payee, 5n)
  await expect(run(ledger, transfer, holder)).rejects.toThrow(/Error\(Auth, InvalidAction\)/)
})

test('a token that is called as a bell emits a transfer of its own', async () => {
  const token = await deployFixture(ledger, 'trick-token', u32(0), xdr.ScVal.scvVoid())
  const { events } = await run(ledger, call(token, 'ring'))
  const [event] = events.map((bytes) => xdr.ContractEvent.fromXdr(bytes).body.v0)
  const emitted = [...(event?.topics ?? []), event?.data ?? xdr.ScVal.scvVoid()]
  expect(emitted.map((value) => scValToNative(value))).toEqual(['transfer', token, token, 1n])
})
