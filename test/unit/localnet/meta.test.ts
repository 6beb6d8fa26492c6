/** Changes, events and headers of applied transactions, as decoders read them. */
import { createHash } from 'node:crypto'
import {
  Account,
  Asset,
  type Keypair,
  Memo,
  MuxedAccount,
  Operation,
  xdr,
} from '@stellar/stellar-sdk'
import { xdr as olderXdr } from 'stellar-sdk-14'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AppliedTransaction } from '../../../src/localnet/history.ts'
import type { Localnet } from '../../../src/localnet/network.ts'
import { apply, build, fund, key, openNetwork, passphrase, XLM } from './harness.ts'
import { transferCall } from './soroban-harness.ts'

const [alice, bob, issuer] = [1, 2, 3].map(key) as [Keypair, Keypair, Keypair]
const own = new Asset('OWN', issuer.publicKey())
let net: Localnet

beforeAll(async () => {
  net = openNetwork().net
  await fund(net, [alice, bob, issuer])
  const operations = [alice, bob].map((it) =>
    Operation.changeTrust({ asset: own, source: it.publicKey() }),
  )
  await apply(net, build(net, { source: alice, operations, signers: [alice, bob], fee: '200' }))
})

const metaOf = ({ resultMetaXdr }: AppliedTransaction): xdr.TransactionMetaV4 => {
  const meta = xdr.TransactionMeta.fromXdr(resultMetaXdr)
  if (meta.type !== 'v4') throw new Error(`meta of version ${meta.type}`)
  return meta.v4
}

const changesOf = (changes: readonly xdr.LedgerEntryChange[]): string[] =>
  changes.map((change) => `${change.type.replace('ledgerEntry', '')} ${kindOf(change)}`)

const kindOf = (change: xdr.LedgerEntryChange): string =>
  change.type === 'ledgerEntryRemoved' ? change.removed.type : change.value.data.type

const pay = (to: string, asset = Asset.native(), amount = '5') =>
  Operation.payment({ destination: to, asset, amount })

interface EventRow {
  readonly when: string
  readonly operation: () => xdr.Operation
  readonly source?: Keypair
  readonly memo?: Memo
  readonly events: readonly unknown[]
}

const muxed = new MuxedAccount(new Account(bob.publicKey(), '0'), '77').accountId()
const muxedAlice = new MuxedAccount(new Account(alice.publicKey(), '0'), '78').accountId()
const i128 = (value: bigint) => ({ i128: value.toString() })
const symbol = (name: string) => ({ symbol: name })
const address = (who: Keypair) => ({ address: who.publicKey() })
const asString = (text: string) => ({ string: text })
const ownName = `OWN:${issuer.publicKey()}`

describe('events of classic operations', () => {
  it.each<EventRow>([
    {
      when: 'lumens are paid',
      operation: () => pay(bob.publicKey()),
      events: [
        [symbol('transfer'), address(alice), address(bob), asString('native')],
        i128(5n * XLM),
      ],
    },
    {
      when: 'an issuer pays',
      operation: () => pay(alice.publicKey(), own),
      source: issuer,
      events: [[symbol('mint'), address(alice), asString(ownName)], i128(5n * XLM)],
    },
    {
      when: 'an issuer is paid',
      operation: () => pay(issuer.publicKey(), own, '1'),
      events: [[symbol('burn'), address(alice), asString(ownName)], i128(XLM)],
    },
    {
      when: 'the receiver is muxed',
      operation: () => pay(muxed),
      events: [
        [symbol('transfer'), address(alice), address(bob), asString('native')],
        {
          map: [
            { key: symbol('amount'), val: i128(5n * XLM) },
            { key: symbol('to_muxed_id'), val: { u64: '77' } },
          ],
        },
      ],
    },
    {
      when: "the operation's source is muxed",
      operation: () =>
        Operation.payment({
          destination: bob.publicKey(),
          asset: Asset.native(),
          amount: '5',
          source: muxedAlice,
        }),
      events: [
        [symbol('transfer'), address(alice), address(bob), asString('native')],
        i128(5n * XLM),
      ],
    },
    {
      when: 'a payment has a memo',
      operation: () => pay(bob.publicKey()),
      memo: Memo.text('rent'),
      events: [
        [symbol('transfer'), address(alice), address(bob), asString('native')],
        {
          map: [
            { key: symbol('amount'), val: i128(5n * XLM) },
            { key: symbol('to_muxed_id'), val: asString('rent') },
          ],
        },
      ],
    },
  ])('report that $when', async ({ operation, source = alice, memo, events }) => {
    const parts = { source, operations: [operation()], ...(memo && { memo }) }
    const applied = await apply(net, build(net, parts))
    const [[event] = []] = applied.contractEvents
    const { topics, data } = xdr.ContractEvent.fromXdr(event ?? new Uint8Array()).body.value
    expect([topics.map((it) => it.toJson()), data.toJson()]).toEqual(events)
  })
})

describe('meta', () => {
  it('shows each entry before and after its change', async () => {
    const applied = await apply(
      net,
      build(net, { source: alice, operations: [pay(bob.publicKey())] }),
    )
    const meta = metaOf(applied)
    expect(changesOf(meta.txChangesBefore)).toEqual(['State account', 'Updated account'])
    expect(meta.operations.map(({ changes }) => changesOf(changes))).toEqual([
      ['State account', 'Updated account', 'State account', 'Updated account'],
    ])
  })

  it('shows lifetimes beside the entries of contracts', async () => {
    const { operation, data } = await transferCall(net, {
      from: alice.publicKey(),
      to: bob.publicKey(),
      amount: 1n,
      payer: alice,
      source: bob,
      asset: Asset.native(),
    })
    const applied = await apply(
      net,
      build(net, { source: bob, operations: [operation], sorobanData: data }),
    )
    const [changes] = metaOf(applied).operations.map((it) => changesOf(it.changes))
    expect(changes).toContain('Created ttl')
    expect(changes?.filter((it) => it === 'Created contractData')).toHaveLength(1)
    expect(metaOf(applied).sorobanMeta?.returnValue?.type).toBe('scvVoid')
  })

  it('reads the same in the older SDK', async () => {
    const { resultMetaXdr } = await apply(
      net,
      build(net, { source: alice, operations: [pay(bob.publicKey())] }),
    )
    const bytes = Buffer.from(resultMetaXdr)
    expect(olderXdr.TransactionMeta.fromXDR(bytes).toXDR().equals(bytes)).toBe(true)
  })

  it('of a failed transaction has no operations', async () => {
    const operations = [pay(bob.publicKey()), pay(key(99).publicKey())]
    const applied = await apply(net, build(net, { source: alice, operations, fee: '200' }))
    expect(applied.successful).toBe(false)
    expect(metaOf(applied).operations).toEqual([])
  })
})

describe('ledger headers', () => {
  it('are chained, and hash their results', async () => {
    const before = net.latest
    await apply(net, build(net, { source: alice, operations: [pay(bob.publicKey())] }))
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
      await fund(other, [alice])
      await apply(
        other,
        build(other, { source: alice, operations: [pay(issuer.publicKey())] }),
      ).catch(() => {})
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
