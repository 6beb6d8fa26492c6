import { Address, Asset, nativeToScVal, StrKey, xdr } from '@stellar/stellar-sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import { FaucetFailure } from '../../../src/localnet/faucet/transaction.ts'
import { USDC_ISSUER, usdc } from '../../../src/localnet/genesis-assets.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { balance, codes, key, openNetwork, passphrase, trustline, XLM } from './harness.ts'

const [alice, bob] = [key(1), key(2)]
const contract = StrKey.encodeContract(Buffer.alloc(32, 9))

let net: Localnet

beforeEach(() => {
  net = openNetwork().net
})

async function give(...requests: Parameters<Localnet['faucet']>[0][]) {
  const gifts = requests.map((request) => net.faucet(request))
  const ledger = await net.closeLedger()
  return { ledger, gifts: await Promise.all(gifts) }
}

describe('the faucet', () => {
  it('creates an account with the requested lumens', async () => {
    const { gifts } = await give({ address: alice.publicKey(), asset: 'XLM', amount: 7n * XLM })
    expect(balance(net, alice)).toBe(7n * XLM)
    expect(gifts[0]).toMatchObject({ successful: true, ledger: 2 })
  })

  it('creates the account and its trustline for USDC', async () => {
    await give({ address: alice.publicKey(), asset: 'USDC', amount: 5n })
    expect(balance(net, alice)).toBe(10_000n * XLM)
    expect(trustline(net, alice, usdc)).toMatchObject({ balance: 5n, flags: 1 })
  })

  it('finds the account of the USDC issuer in the first ledger', () => {
    expect(balance(net, USDC_ISSUER)).toBe(10n * XLM)
  })

  it('pays many requests in one ledger, each account in one transaction', async () => {
    const request = (address: string, asset: 'XLM' | 'USDC', amount: bigint) => ({
      address,
      asset,
      amount,
    })
    const { ledger } = await give(
      request(alice.publicKey(), 'USDC', 1n),
      request(bob.publicKey(), 'XLM', 100n * XLM),
      request(alice.publicKey(), 'USDC', 2n),
      request(contract, 'USDC', 3n),
      request(contract, 'XLM', 4n),
      request(alice.publicKey(), 'XLM', 200n * XLM),
    )
    expect(ledger.transactions.map(({ successful }) => successful)).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(trustline(net, alice, usdc)?.balance).toBe(3n)
    expect(balance(net, alice)).toBe(200n * XLM)
    expect([held(usdc), held(Asset.native())]).toEqual([3n, 4n])
  })

  it('has transactions, meta and events like any other', async () => {
    const { gifts } = await give({ address: alice.publicKey(), asset: 'USDC', amount: 5n })
    const [gift] = gifts
    expect(codes(gift?.resultXdr ?? new Uint8Array())).toEqual([
      'txSuccess',
      'createAccountSuccess',
      'changeTrustSuccess',
      'paymentSuccess',
    ])
    const events = gift?.contractEvents.map((list) => list.map(nameOf))
    expect(events).toEqual([['transfer'], [], ['mint']])
  })

  it('rejects when it cannot pay', async () => {
    const gift = net.faucet({ address: alice.publicKey(), asset: 'XLM', amount: 1n })
    const failed = expect(gift).rejects.toBeInstanceOf(FaucetFailure)
    await net.closeLedger()
    await failed
  })

  it.each([
    { address: 'GABC', amount: 1n },
    { address: alice.publicKey(), amount: 0n },
    { address: alice.publicKey(), amount: 2n ** 63n },
  ])('refuses $address $amount', async ({ address, amount }) => {
    await expect(net.faucet({ address, asset: 'XLM', amount })).rejects.toBeInstanceOf(RangeError)
  })
})

const nameOf = (event: Uint8Array): string => {
  const [topic] = xdr.ContractEvent.fromXdr(event).body.value.topics
  return topic?.type === 'scvSymbol' ? topic.sym.toString() : ''
}

/** The balance that the contract of the asset keeps for a contract. */
function held(asset: Asset): bigint {
  const key = xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: Address.fromString(asset.contractId(passphrase)).toScAddress(),
      key: xdr.ScVal.scvVec([
        xdr.ScVal.scvSymbol('Balance'),
        Address.fromString(contract).toScVal(),
      ]),
      durability: xdr.ContractDataDurability.persistent,
    }),
  )
  const stored = net.entry(key.toXdr())
  if (!stored) return 0n
  const { data } = xdr.LedgerEntry.fromXdr(stored.entry)
  if (data.type !== 'contractData' || data.contractData.val.type !== 'scvMap') return 0n
  const amount = data.contractData.val.map?.find(({ key: name }) =>
    name.equals(xdr.ScVal.scvSymbol('amount')),
  )?.val
  for (let guess = 0n; guess < 10n; guess++) {
    if (amount?.equals(nativeToScVal(guess, { type: 'i128' }))) return guess
  }
  throw new Error('more than the tests give')
}
