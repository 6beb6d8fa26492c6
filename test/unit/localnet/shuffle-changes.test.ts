/** The random order of an operation's changes. */
import { type Keypair, xdr } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import type { Localnet } from '../../../src/localnet/network.ts'
import { ledgerCloseMeta } from '../../../src/localnet/rpc/ledger-close-meta.ts'
import { shuffleOf } from '../../../src/localnet/transactions/set/shuffle.ts'
import { apply, build, bytesOf, fund, key, metaOf, openNetwork } from './harness.ts'
import { readLedger } from './properties/decoded-ledger.ts'
import { Replay } from './properties/replay.ts'
import { pay } from './table/operations.ts'

const [alice, bob] = [1, 2].map(key) as [Keypair, Keypair]

/** Five operations that change two accounts each: those of a network with this seed, or without one. */
async function changesOf(shuffleChanges?: number): Promise<string[][]> {
  const options = shuffleChanges === undefined ? {} : { shuffleChanges }
  const { net } = openNetwork(options)
  await fund(net, [alice, bob])
  const { operations } = metaOf(await apply(net, payments(net)))
  return operations.map(({ changes }) => changes.map(nameOf))
}

const payments = (net: Localnet) =>
  build(net, { source: alice, fee: '500', operations: Array(5).fill(pay(bob, '1')) })

/** The kind of a change, and the account it is about. */
function nameOf(change: xdr.LedgerEntryChange): string {
  if (change.type === 'ledgerEntryRemoved') return change.type
  const { data } = change.value
  if (data.type !== 'account') return `${change.type} ${data.type}`
  return `${change.type} ${data.account.accountId.toXdr('hex')}`
}

describe('shuffled changes', () => {
  it('are those of the operation, each state directly before its update', async () => {
    const [plain, shuffled] = [await changesOf(), await changesOf(1)]
    expect(shuffled.map((it) => it.toSorted())).toEqual(plain.map((it) => it.toSorted()))
    expect(shuffled).not.toEqual(plain)
    const pairs = shuffled.flat().map((name) => name.split(' '))
    for (const [index, [kind, account]] of pairs.entries()) {
      if (kind === 'ledgerEntryState') {
        expect(pairs[index + 1]).toEqual(['ledgerEntryUpdated', account])
      }
    }
  })

  it('are the same for the same seed, and differ between seeds and operations', async () => {
    const [first, again, other] = [await changesOf(1), await changesOf(1), await changesOf(2)]
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
    expect(new Set(first.map((it) => it.join())).size).toBeGreaterThan(1)
  })

  it('give the next ledger', async () => {
    const { net } = openNetwork({ shuffleChanges: 3 })
    await fund(net, [alice, bob])
    const replay = new Replay((await readLedger(net)).entries)
    net.submit(bytesOf(payments(net)))
    const ledger = await net.closeLedger()
    replay.applyLedger(xdr.LedgerCloseMeta.fromXdr(ledgerCloseMeta(ledger, 4)))
    const { entries } = await readLedger(net)
    expect([...replay.problems, ...replay.differencesTo(entries, ledger.sequence)]).toEqual([])
  })

  it('change nothing but meta', async () => {
    const hashes = await Promise.all(
      [{}, { shuffleChanges: 1 }].map(async (options) => {
        const { net } = openNetwork(options)
        await fund(net, [alice, bob])
        await apply(net, payments(net))
        return net.latest.hash
      }),
    )
    expect(new Set(hashes).size).toBe(1)
  })
})

describe('a shuffle', () => {
  it('returns every order of three items', () => {
    const orders = Array.from({ length: 200 }, (_, operation) =>
      shuffleOf(7, new Uint8Array(32), operation)(['a', 'b', 'c']).join(''),
    )
    expect(new Set(orders)).toEqual(new Set(['abc', 'acb', 'bac', 'bca', 'cab', 'cba']))
  })
})
