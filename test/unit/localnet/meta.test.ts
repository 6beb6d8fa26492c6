/** Meta and headers of applied transactions, as decoders read them. */
import { createHash } from 'node:crypto'
import { type Keypair, xdr } from '@stellar/stellar-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Localnet } from '../../../src/localnet/network.ts'
import { apply, build, changeNames, fund, key, metaOf, openNetwork, passphrase } from './harness.ts'
import { transferCall } from './soroban-harness.ts'
import { pay } from './table/operations.ts'

const [alice, bob] = [1, 2].map(key) as [Keypair, Keypair]
let net: Localnet

beforeAll(async () => {
  net = openNetwork().net
  await fund(net, [alice, bob])
})

const payment = (on = net) => apply(on, build(on, { source: alice, operations: [pay(bob, '5')] }))

describe('meta', () => {
  it('shows the payer before and after the fee', async () => {
    expect(changeNames(metaOf(await payment()).txChangesBefore)).toEqual([
      ...['State account', 'Updated account'],
    ])
  })

  it('has the return value of a call', async () => {
    const call = await transferCall(net, { from: alice, to: bob, amount: 1n, source: bob })
    const { sorobanMeta } = metaOf(await apply(net, build(net, { source: bob, call })))
    expect(sorobanMeta?.returnValue?.type).toBe('scvVoid')
  })
})

describe('ledger headers', () => {
  it('are chained, and hash their results', async () => {
    const before = net.latest
    await payment()
    const { hash, header } = xdr.LedgerHeaderHistoryEntry.fromXdr(net.latest.headerXdr)
    const [transaction] = net.latest.transactions
    const pair = [
      Buffer.from(transaction?.hash ?? '', 'hex'),
      transaction?.resultXdr ?? Buffer.of(),
    ]
    const results = createHash('sha256').update(Buffer.concat([Buffer.of(0, 0, 0, 1), ...pair]))

    expect(header.previousLedgerHash.toString()).toBe(before.hash)
    expect(createHash('sha256').update(header.toXdr()).digest('hex')).toBe(hash.toString())
    expect(net.latest.hash).toBe(hash.toString())
    expect(header.txSetResultHash.toString()).toBe(results.digest('hex'))
    expect(header.ledgerVersion).toBe(net.host.protocol)
  })

  it('have growing close times', async () => {
    const times = []
    for (let ledger = 0; ledger < 3; ledger++) times.push((await net.closeLedger()).closeTime)
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
  })

  it('are the same for the same history', async () => {
    const close = async () => {
      const other = openNetwork().net
      await fund(other, [alice, bob])
      await payment(other)
      return other.latest.hash
    }
    expect(await close()).toBe(await close())
  })
})

describe('the passphrase', () => {
  it('is that of testnet', () => {
    expect(net.passphrase).toBe(passphrase)
  })
})
