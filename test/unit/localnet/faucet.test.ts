import { Asset, type Keypair, StrKey, xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import { FaucetFailure, type FaucetRequest } from '../../../src/localnet/faucet/transaction.ts'
import { issuerId } from '../../../src/localnet/genesis/genesis.ts'
import { usdc } from '../../../src/localnet/genesis/genesis-assets.ts'
import { addressOf } from '../../../src/localnet/ledger/account-id.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { balance, codes, give, key, openNetwork, passphrase, trustline, XLM } from './harness.ts'
import { readLedger } from './properties/decoded-ledger.ts'

const [alice, bob] = [key(1), key(2)]
const contract = StrKey.encodeContract(Buffer.alloc(32, 9))

let net: Localnet

beforeEach(() => {
  net = openNetwork().net
})

const gift = (to: Keypair | string, asset: 'XLM' | 'USDC', amount: bigint): FaucetRequest => ({
  address: typeof to === 'string' ? to : to.publicKey(),
  asset,
  amount,
})

describe('the faucet', () => {
  it('creates an account with the requested lumens', async () => {
    const { gifts } = await give(net, [gift(alice, 'XLM', 7n * XLM)])
    expect(balance(net, alice)).toBe(7n * XLM)
    expect(gifts[0]).toMatchObject({ successful: true, ledger: 2 })
  })

  it('creates the account and its trustline for USDC', async () => {
    await give(net, [gift(alice, 'USDC', 5n)])
    expect(balance(net, alice)).toBe(10_000n * XLM)
    expect(trustline(net, alice, usdc)).toMatchObject({ balance: 5n, flags: 1 })
  })

  it('finds the account of the USDC issuer in the first ledger', () => {
    expect(balance(net, addressOf(issuerId))).toBe(10n * XLM)
  })

  it('pays many requests in one ledger, each account in one transaction', async () => {
    const { ledger } = await give(net, [
      gift(alice, 'USDC', 1n),
      gift(bob, 'XLM', 100n * XLM),
      gift(alice, 'USDC', 2n),
      gift(contract, 'USDC', 3n),
      gift(contract, 'XLM', 4n),
      gift(alice, 'XLM', 200n * XLM),
    ])
    expect(ledger.transactions.map(({ successful }) => successful)).toEqual(Array(4).fill(true))
    expect(trustline(net, alice, usdc)?.balance).toBe(3n)
    expect(balance(net, alice)).toBe(200n * XLM)
    const { contractBalances } = await readLedger(net)
    const held = [usdc, Asset.native()].map((it) => it.contractId(passphrase))
    expect(contractBalances).toEqual(
      expect.arrayContaining([
        { asset: held[0], holder: contract, amount: 3n },
        { asset: held[1], holder: contract, amount: 4n },
      ]),
    )
  })

  it('has transactions, meta and events like any other', async () => {
    const { gifts } = await give(net, [gift(alice, 'USDC', 5n)])
    const [given] = gifts
    expect(codes(given?.resultXdr ?? new Uint8Array())).toEqual([
      'txSuccess',
      'createAccountSuccess',
      'changeTrustSuccess',
      'paymentSuccess',
    ])
    const events = given?.contractEvents.map((list) => list.map(nameOf))
    expect(events).toEqual([['transfer'], [], ['mint']])
  })

  it('rejects when it cannot pay', async () => {
    await expect(give(net, [gift(alice, 'XLM', 1n)])).rejects.toBeInstanceOf(FaucetFailure)
  })

  it.each([gift('GABC', 'XLM', 1n), gift(alice, 'XLM', 0n), gift(alice, 'XLM', 2n ** 63n)])(
    'refuses $address $amount',
    async (request) => {
      await expect(net.faucet(request)).rejects.toBeInstanceOf(RangeError)
    },
  )
})

const nameOf = (event: Uint8Array): string => {
  const [topic] = xdr.ContractEvent.fromXdr(event).body.value.topics
  return topic?.type === 'scvSymbol' ? topic.sym.toString() : ''
}
