/** The settlement contract of `upto`, which a network has from genesis on. */
import { type Keypair, xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import { usdc } from '../../../src/localnet/genesis-assets.ts'
import { sha256 } from '../../../src/localnet/ledger/header.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { instanceKey, uptoContract, uptoWasm } from '../../../src/localnet/upto-contract.ts'
import {
  apply,
  balance,
  codes,
  fund,
  key,
  openNetwork,
  outcome,
  passphrase,
  trustline,
} from './harness.ts'
import { type Settlement, settleCall, settleTransaction } from './upto-call.ts'

const [channel, authority, payer, seller] = [1, 2, 3, 4].map(key) as [
  Keypair,
  Keypair,
  Keypair,
  Keypair,
]
const UNIT = 10_000_000n
let net: Localnet

beforeEach(async () => {
  net = openNetwork().net
  await fund(net, [channel, authority, payer, seller])
  const gifts = [payer, seller].map((it) =>
    net.faucet({ address: it.publicKey(), asset: 'USDC', amount: 100n * UNIT }),
  )
  await net.closeLedger()
  await Promise.all(gifts)
})

const settle = (changes: Partial<Settlement> = {}) =>
  settleCall(net, {
    payer,
    payTo: seller.publicKey(),
    authority,
    ceiling: 5n * UNIT,
    actual: 2n * UNIT,
    nonce: 7,
    ...changes,
  })

const received = () => (trustline(net, seller, usdc)?.balance ?? 0n) - 100n * UNIT

const SUCCESS = ['txSuccess', 'invokeHostFunctionSuccess']
const TRAPPED = ['txFailed', 'invokeHostFunctionTrapped']

describe('the contract of genesis', () => {
  it('has the same address in each network of a passphrase', () => {
    expect(uptoContract(passphrase)).toBe(
      'CAKRVLDLN5DUGADHEQ55ZTDTLFRDKXU7HEGZ7L4UQIVFUJFKFU7YJNPY',
    )
    expect(net.uptoContract).toBe(uptoContract(passphrase))
    const { net: other } = openNetwork({ passphrase: 'another' })
    expect(other.uptoContract).toBe(uptoContract('another'))
    expect(other.uptoContract).not.toBe(net.uptoContract)
  })

  it('has code and instance that live as long as a network allows', () => {
    const hash = sha256(uptoWasm())
    const code = xdr.LedgerKey.contractCode(new xdr.LedgerKeyContractCode({ hash })).toXdr()
    for (const entry of [code, instanceKey(uptoContract(passphrase))]) {
      expect(net.entry(entry)?.liveUntil).toBe(3_110_400)
    }
  })

  it('settles a payment for what was used, and once', async () => {
    const call = await settle()
    const repeat = await settle({ actual: UNIT })
    const first = settleTransaction(net, call, { channel, authority })
    expect(codes((await apply(net, first)).resultXdr)).toEqual(SUCCESS)
    expect(received()).toBe(2n * UNIT)
    expect(await outcome(net, settleTransaction(net, repeat, { channel, authority }))).toEqual(
      TRAPPED,
    )
    expect(received()).toBe(2n * UNIT)
  })

  it('is missing where the network starts without it', async () => {
    const { net: without } = openNetwork({ upto: false })
    expect(without.uptoContract).toBeUndefined()
    expect(without.entry(instanceKey(uptoContract(passphrase)))).toBeUndefined()
    await without.reset()
    expect(without.uptoContract).toBeUndefined()
  })

  it('stays missing in a ledger that was kept from before it', async () => {
    const snapshot = await openNetwork({ upto: false }).net.snapshot()
    const { net: continued } = openNetwork({ snapshot })
    expect(continued.uptoContract).toBeUndefined()
    await fund(continued, [payer])
    expect(balance(continued, payer)).toBeGreaterThan(0n)
  })
})
