/** Changes and headers of applied transactions, as decoders read them. */
import { createHash } from 'node:crypto'
import { type Keypair, Operation, SorobanDataBuilder, StrKey, xdr } from '@stellar/stellar-sdk'
import { xdr as olderXdr } from 'stellar-sdk-14'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Localnet } from '../../../src/localnet/network.ts'
import { contractBalanceKey } from '../../support/ledger-view.ts'
import { apply, build, fund, give, key, metaOf, openNetwork, passphrase } from './harness.ts'
import { transferCall } from './soroban-harness.ts'
import { pay } from './table/operations.ts'

const [alice, bob, missing] = [1, 2, 3].map(key) as [Keypair, Keypair, Keypair]
let net: Localnet

beforeAll(async () => {
  net = openNetwork().net
  await fund(net, [alice, bob])
})

const changesOf = (changes: readonly xdr.LedgerEntryChange[]): string[] =>
  changes.map((change) => `${change.type.replace('ledgerEntry', '')} ${kindOf(change)}`)

const kindOf = (change: xdr.LedgerEntryChange): string =>
  change.type === 'ledgerEntryRemoved' ? change.removed.type : change.value.data.type

const payment = (on = net) => apply(on, build(on, { source: alice, operations: [pay(bob, '5')] }))

describe('meta', () => {
  it('shows each entry before and after its change', async () => {
    const meta = metaOf(await payment())
    expect(changesOf(meta.txChangesBefore)).toEqual(['State account', 'Updated account'])
    expect(meta.operations.map(({ changes }) => changesOf(changes))).toEqual([
      ['State account', 'Updated account', 'State account', 'Updated account'],
    ])
  })

  it('shows lifetimes beside the entries of contracts', async () => {
    const call = await transferCall(net, { from: alice, to: bob, amount: 1n, source: bob })
    const { operations, sorobanMeta } = metaOf(await apply(net, build(net, { source: bob, call })))
    const [changes] = operations.map((it) => changesOf(it.changes))
    expect(changes).toContain('Created ttl')
    expect(changes?.filter((it) => it === 'Created contractData')).toHaveLength(1)
    expect(sorobanMeta?.returnValue?.type).toBe('scvVoid')
  })

  it('shows an extended lifetime without its entry', async () => {
    const holder = StrKey.encodeContract(Buffer.alloc(32, 9))
    await give(net, [{ address: holder, asset: 'USDC', amount: 5n }])
    const operation = Operation.extendFootprintTtl({ extendTo: 1_000_000 })
    const data = new SorobanDataBuilder()
      .setResources(0, 10_000, 10_000)
      .setReadOnly([xdr.LedgerKey.fromXdr(contractBalanceKey(holder))])
      .setResourceFee(50_000_000n)
      .build()
    const applied = await apply(net, build(net, { source: alice, call: { operation, data } }))
    const [changes] = metaOf(applied).operations.map((it) => changesOf(it.changes))
    expect(changes).toEqual(['State ttl', 'Updated ttl'])
  })

  it('reads the same in the older SDK', async () => {
    const bytes = Buffer.from((await payment()).resultMetaXdr)
    expect(olderXdr.TransactionMeta.fromXDR(bytes).toXDR().equals(bytes)).toBe(true)
  })

  it('of a failed transaction has no operations', async () => {
    const operations = [pay(bob, '5'), pay(missing, '5')]
    const applied = await apply(net, build(net, { source: alice, operations }))
    expect(applied.successful).toBe(false)
    expect(metaOf(applied).operations).toEqual([])
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
