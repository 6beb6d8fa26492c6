import { Asset, StrKey, scValToNative, xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  address,
  call,
  deployAsset,
  deployFixture,
  expectSuccess,
  prepare,
  run,
  source,
  transferOf,
  u32,
} from './invocation.ts'
import { keypair, TestLedger } from './test-ledger.ts'

const owner = keypair('owner')
const payee = keypair('payee')
const modes = { quiet: 0, loud: 1, ringing: 2 }

let ledger: TestLedger
let token: string
let bell: string
beforeEach(async () => {
  ledger = new TestLedger(source, owner, payee)
  token = await deployAsset(ledger, Asset.native())
  bell = await deployFixture(ledger, 'bell')
})

const openAccount = async (mode: keyof typeof modes) => {
  const account = await deployFixture(
    ledger,
    'smart-account',
    xdr.ScVal.scvBytes(owner.rawPublicKey()),
    u32(modes[mode]),
    address(bell),
  )
  await run(ledger, transferOf(token, source, account, 100_0000000n))
  return account
}

const pay = (account: string) => transferOf(token, account, payee, 7n)

const balance = async (of: string) =>
  scValToNative(xdr.ScVal.fromXdr((await run(ledger, call(token, 'balance', address(of)))).value))

/** The contract and the name of an event. */
const emitted = (events: readonly Uint8Array[]) =>
  events.map((bytes) => {
    const { contractId, body } = xdr.ContractEvent.fromXdr(bytes)
    const [name] = body.v0.topics
    const emitter = contractId && StrKey.encodeContract(contractId.toXdr())
    return { emitter, name: name && scValToNative(name) }
  })

describe('a smart account', () => {
  test.each<{ mode: keyof typeof modes; also?: (account: string) => object }>([
    { mode: 'quiet' },
    { mode: 'loud', also: (account) => ({ emitter: account, name: 'approved' }) },
    { mode: 'ringing', also: () => ({ emitter: bell, name: 'rung' }) },
  ])('that is $mode pays with the signature of its owner', async ({ mode, also }) => {
    const account = await openAccount(mode)
    const { events } = await run(ledger, pay(account), owner)
    const transfer = { emitter: token, name: 'transfer' }
    expect(emitted(events)).toEqual(also ? [also(account), transfer] : [transfer])
    expect(await balance(account)).toBe(100_0000000n - 7n)
  })

  test('refuses another signer', async () => {
    const account = await openAccount('quiet')
    await expect(run(ledger, pay(account), payee)).rejects.toThrow(/Error\(Contract, #2\)/)
  })

  test('refuses every signer when its mode is to refuse', async () => {
    const account = await openAccount('quiet')
    const input = await prepare(ledger, pay(account), owner)
    expectSuccess(ledger.host.invoke(input))
    await run(ledger, call(account, 'set_refusing', xdr.ScVal.scvBool(true)))
    const output = ledger.host.invoke(input)
    expect(output).toMatchObject({ outcome: 'trapped', failure: { type: 'auth' } })
    expect('failure' in output && output.failure?.text).toContain('Error(Contract, #1)')
  })
})
