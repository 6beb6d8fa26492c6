/** Snapshot, restore and reset of a network, in memory and in a file. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Keypair } from '@stellar/stellar-sdk'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Localnet } from '../../../src/localnet/network.ts'
import { SnapshotMismatch } from '../../../src/localnet/snapshot/snapshot.ts'
import {
  readStateFile,
  StateFileError,
  writeStateFile,
} from '../../../src/localnet/snapshot/state-file.ts'
import { toPlain } from '../../../src/localnet/snapshot/state-lines.ts'
import { apply, balance, build, bytesOf, fund, key, openNetwork, XLM } from './harness.ts'
import { transferCall } from './soroban-harness.ts'
import { pay } from './table/operations.ts'

const [alice, bob] = [1, 2].map(key) as [Keypair, Keypair]
let net: Localnet

beforeEach(async () => {
  net = openNetwork().net
  await fund(net, [alice, bob])
})

const payment = (on = net) => build(on, { source: alice, operations: [pay(bob, '5')] })

/** So that the snapshot has lifetimes, nonces and events. */
async function transfer() {
  const call = await transferCall(net, { from: alice, to: bob, amount: 3n, source: bob })
  return apply(net, build(net, { source: bob, call }))
}

describe('a snapshot', () => {
  it('restores balances, history and the chain of ledgers', async () => {
    await transfer()
    const { latest } = net
    const before = { alice: balance(net, alice), bob: balance(net, bob) }
    const snapshot = await net.snapshot()
    const paid = await apply(net, payment())
    expect(balance(net, bob)).toBe(before.bob + 5n * XLM)
    await net.restore(snapshot)
    expect({ alice: balance(net, alice), bob: balance(net, bob) }).toEqual(before)
    expect(net.latest).toBe(latest)
    expect(net.transaction(paid.hash)).toBeUndefined()
  })

  it('has the same next ledgers every time', async () => {
    const snapshot = await net.snapshot()
    const first = await apply(net, payment())
    const { hash } = net.latest
    await net.restore(snapshot)
    const second = await apply(net, payment())
    expect(net.latest.hash).toBe(hash)
    expect(second).toEqual(first)
  })

  it('drops waiting transactions', async () => {
    const snapshot = await net.snapshot()
    const waiting = payment()
    expect(net.submit(bytesOf(waiting)).status).toBe('PENDING')
    await net.restore(snapshot)
    expect((await net.closeLedger()).transactions).toEqual([])
    expect((await apply(net, waiting)).successful).toBe(true)
  })

  it('waits until the current ledger has closed', async () => {
    net.submit(bytesOf(payment()))
    const closing = net.closeLedger()
    const snapshot = await net.snapshot()
    expect(snapshot.state.sequence).toBe((await closing).sequence)
  })

  it('is refused by a network of another passphrase or other limits', async () => {
    const snapshot = await net.snapshot()
    const strange = openNetwork({ passphrase: 'another' }).net
    await expect(strange.restore(snapshot)).rejects.toThrow(SnapshotMismatch)
    await expect(openNetwork({ limits: 'none' }).net.restore(snapshot)).rejects.toThrow(
      'its limits: testnet; of this network: none',
    )
    expect(strange.latest.sequence).toBe(1)
  })
})

describe('a reset', () => {
  it('starts again from genesis', async () => {
    await net.reset()
    expect(net.latest.sequence).toBe(1)
    expect(net.oldest.sequence).toBe(1)
    expect(balance(net, alice)).toBe(0n)
    await fund(net, [alice, bob])
    await transfer()
    expect(net.latest.transactions[0]?.successful).toBe(true)
  })

  it('keeps the listeners for ledgers', async () => {
    const heard: number[] = []
    net.onClose(({ sequence }) => heard.push(sequence))
    await net.reset()
    await net.closeLedger()
    expect(heard).toEqual([2])
  })
})

describe('a state file', () => {
  let folder: string
  let file: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'localnet-state-'))
    file = join(folder, 'deep', 'ledger.gz')
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('contains the whole network', async () => {
    const applied = await transfer()
    const snapshot = await net.snapshot()
    await writeStateFile(file, snapshot)
    const read = await readStateFile(file)
    if (!read) throw new Error('nothing was read')
    const again = openNetwork({ snapshot: read }).net
    expect(toPlain(again.latest)).toEqual(toPlain(net.latest))
    expect(toPlain(again.oldest)).toEqual(toPlain(net.oldest))
    expect(again.transaction(applied.hash)?.resultMetaXdr).toEqual(
      new Uint8Array(applied.resultMetaXdr),
    )
    await apply(net, payment())
    await apply(again, payment(again))
    expect(again.latest.hash).toBe(net.latest.hash)
    expect(await readdir(join(folder, 'deep'))).toEqual(['ledger.gz'])
  })

  it('keeps every field of an entry', async () => {
    const snapshot = await net.snapshot()
    const record = { entry: Uint8Array.of(1, 255), liveUntil: 5, liveUntilSetAt: 2 }
    const entries = [
      ['\0\u00ffa', { ...record, evicted: true }],
      ['b', record],
      ['c', { entry: Uint8Array.of() }],
    ] as const
    await writeStateFile(file, { ...snapshot, entries })
    expect((await readStateFile(file))?.entries).toEqual(entries)
  })

  it('is missing at first', async () => {
    expect(await readStateFile(file)).toBeUndefined()
  })

  const rewritten = async (change: (lines: string[]) => string[]) => {
    await writeStateFile(file, await net.snapshot())
    const lines = gunzipSync(await readFile(file))
      .toString()
      .split('\n')
    await writeFile(file, gzipSync(change(lines).join('\n')))
    return readStateFile(file)
  }

  it.each<[string, (lines: string[]) => string[], string?]>([
    ['is cut short', (lines) => lines.slice(0, 20)],
    ['has no head', (lines) => lines.slice(1)],
    ['holds something else', () => ['{"name":"package"}']],
    ['holds a line that is no entry', ([head = '', ...rest]) => [head, '{"key":5}', ...rest]],
    [
      'has a later format',
      ([head = '', ...rest]) => [head.replace('"version":1', '"version":2'), ...rest],
      'has format 2; this version of svc reads format 1',
    ],
  ])('that %s is refused', async (_, change, message = '') => {
    const refused = await rewritten(change).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(StateFileError)
    expect(String(refused)).toContain(message)
  })

  it('that is not gzip is refused, and left unchanged', async () => {
    await writeStateFile(file, await net.snapshot())
    await writeFile(file, 'a letter')
    await expect(readStateFile(file)).rejects.toThrow('was not written by svc localnet')
    expect(await readFile(file, 'utf8')).toBe('a letter')
  })
})
