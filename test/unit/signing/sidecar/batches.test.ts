import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Operation } from '@stellar/stellar-sdk'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import type { Policy } from '../../../../examples/signer-sidecar/config.ts'
import type { Key } from '../../../../examples/signer-sidecar/key.ts'
import { readLog } from '../../../../examples/signer-sidecar/log/read-log.ts'
import { LogFailure, SigningLog } from '../../../../examples/signer-sidecar/log/signing-log.ts'
import type { SigningAnswer, SigningRequest } from '../../../../examples/signer-sidecar/protocol.ts'
import { batchSigner } from '../../../../examples/signer-sidecar/sign-batch.ts'
import { accounts, callOperation, envelopeOf, now, policy, sponsor, thief } from './examined.ts'

const HOUR_MS = 3_600_000
const network = 'stellar:testnet'
const bumped = { source: accounts.source.address, payer: sponsor, soroban: true }

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-sidecar-'))
  file = join(folder, 'log.jsonl')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** A fee bump of 1,000 stroops each, whose inner transaction is valid for a minute from the clock. */
let clock = now
let fee = 1_000n
let unique = 0n
beforeEach(() => {
  clock = now
  fee = 1_000n
})
const request = (network_: string = network): SigningRequest => ({
  network: network_,
  purpose: 'settlement',
  kind: 'transaction',
  envelope: envelopeOf([callOperation(undefined)], {
    ...bumped,
    fee,
    // Another hash for each.
    maxTime: BigInt(clock / 1_000) + 60n + (unique++ % 500n),
  }),
})

async function opened(
  change: Partial<Policy> = {},
  sign: Key['sign'] = accounts.sponsor.sign as never,
) {
  const log = await SigningLog.open(file)
  const key: Key = { address: sponsor, sign: async (hash) => sign(hash) }
  const signBatch = batchSigner({
    config: { networks: [network], policy: { ...policy, ...change } },
    key,
    log,
    now: () => clock,
    refused: () => {},
  })
  return { log, signBatch, [Symbol.asyncDispose]: () => log[Symbol.asyncDispose]() }
}

const codes = (answers: readonly SigningAnswer[]) =>
  answers.map((answer) => ('refused' in answer ? answer.refused.code : 'signed'))

describe('the fees of an hour', () => {
  it('end at the limit, within a batch and after a restart, and are free an hour later', async () => {
    const limit = { maxXlmPerHour: 2_500n }
    const last = request()
    {
      await using sidecar = await opened(limit)
      const answers = await sidecar.signBatch([request(), last, request()])
      expect(codes(answers)).toEqual(['signed', 'signed', 'fees_per_hour'])
    }
    await using sidecar = await opened(limit)
    expect(codes(await sidecar.signBatch([last, request()]))).toEqual(['signed', 'fees_per_hour'])
    clock += HOUR_MS - 1_000
    expect(codes(await sidecar.signBatch([request()]))).toEqual(['fees_per_hour'])
    clock += 2_000
    expect(codes(await sidecar.signBatch([request()]))).toEqual(['signed'])
  })

  it('are not free when the clock is set back', async () => {
    await using sidecar = await opened({ maxXlmPerHour: 1_000n })
    expect(codes(await sidecar.signBatch([request()]))).toEqual(['signed'])
    clock -= 5 * 60_000
    expect(codes(await sidecar.signBatch([request()]))).not.toEqual(['signed'])
  })

  it('count the same hash once, and the log says that it is a repeat', async () => {
    await using sidecar = await opened({ maxXlmPerHour: 1_000n })
    const same = request()
    expect(codes(await sidecar.signBatch([same, same]))).toEqual(['signed', 'signed'])
    expect(codes(await sidecar.signBatch([same]))).toEqual(['signed'])
    const lines = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ repeat }) => repeat)).toEqual([false, true, true])
    expect(lines.at(-1)).toMatchObject({ sums: { fee: '1000' } })
    expect((await readLog(file)).chain.end.sums.fee).toBe(1_000n)
  })
})

test('new accounts of a day end at the limit', async () => {
  await using sidecar = await opened({ channels: { maxPerDay: 1 } })
  const creating = (destination: string): SigningRequest => ({
    network,
    purpose: 'channels',
    kind: 'transaction',
    envelope: envelopeOf([
      Operation.beginSponsoringFutureReserves({ sponsoredId: destination }),
      Operation.createAccount({ destination, startingBalance: '0' }),
      Operation.endSponsoringFutureReserves({ source: destination }),
    ]),
  })
  const [one, two] = [creating(thief.address), creating(accounts.source.address)]
  expect(codes(await sidecar.signBatch([one, two, one]))).toEqual([
    'signed',
    'accounts_per_day',
    'signed',
  ])
})

test('a network that is not configured is refused', async () => {
  await using sidecar = await opened()
  const answers = await sidecar.signBatch([
    request('stellar:pubnet'),
    request('toString'),
    request(),
  ])
  expect(codes(answers)).toEqual(['network', 'network', 'signed'])
})

test('too many batches at once are told to come again, and those before them are signed', async () => {
  await using sidecar = await opened()
  const batches = Array.from({ length: 20 }, () => sidecar.signBatch([request()]))
  const results = await Promise.allSettled(batches)
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(16)
  expect(sidecar.log.end.seq).toBe(16)
})

describe('without a log', () => {
  const never: Key['sign'] = async () => {
    throw new Error('the key was asked')
  }

  it('signs nothing while the disk is full, and goes on when it is not', async () => {
    let signed = 0
    await using sidecar = await opened({}, async (hash) => {
      signed += 1
      return accounts.sponsor.sign(hash)
    })
    await sidecar.signBatch([request()])
    const { log } = sidecar
    const handle = Object(Object.getPrototypeOf(await fileHandle(file)))
    const { appendFile } = handle
    handle.appendFile = async function torn(this: unknown, lines: Buffer) {
      await appendFile.call(this, lines.subarray(0, 50))
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    }
    try {
      await expect(sidecar.signBatch([request()])).rejects.toThrow(LogFailure)
      await expect(sidecar.signBatch([request()])).rejects.toThrow(LogFailure)
    } finally {
      handle.appendFile = appendFile
    }
    expect(signed).toBe(1)
    await sidecar.signBatch([request()])
    expect([signed, log.end.seq]).toEqual([2, 2])
    expect((await readLog(file)).chain.end).toEqual(log.end)
  })

  it.each([
    ['the file is removed', () => rm(file)],
    ['the file is replaced', () => rename(file, `${file}.old`).then(() => rm(`${file}.old`))],
    ['another process writes to it', () => writeFile(file, 'x', { flag: 'a' })],
    ['the file is emptied', () => writeFile(file, '')],
  ])('signs nothing when %s', async (_, change) => {
    {
      await using sidecar = await opened()
      await sidecar.signBatch([request()])
    }
    await using sidecar = await opened({}, never)
    await change()
    await expect(sidecar.signBatch([request()])).rejects.toThrow(LogFailure)
  })

  it('counts what was logged when the key fails, and not again when the client asks again', async () => {
    await using sidecar = await opened({ maxXlmPerHour: 1_000n }, never)
    const same = request()
    for (const _ of [1, 2]) {
      await expect(sidecar.signBatch([same])).rejects.toThrow('the key was asked')
    }
    expect((await readLog(file)).chain.end.sums.fee).toBe(1_000n)
  })
})

describe('a log that was changed', () => {
  let lines: string[]
  beforeEach(async () => {
    await using sidecar = await opened()
    await sidecar.signBatch([request(), request(), request()])
    lines = (await readFile(file, 'utf8')).trim().split('\n')
  })

  it.each<[string, (lines: string[]) => string[]]>([
    ['a fee', ([a = '', b = '', c = '']) => [a, b.replace('"fee":"1000"', '"fee":"1"'), c]],
    ['a line is missing', ([a = '', , c = '']) => [a, c]],
    ['two lines are exchanged', ([a = '', b = '', c = '']) => [b, a, c]],
    ['a line is repeated', ([a = '', b = '', c = '']) => [a, b, b, c]],
    ['a space', ([a = '', b = '', c = '']) => [a, b.replace('{', '{ '), c]],
    ['something else', ([a = '', , c = '']) => [a, 'x', c]],
    [
      'the last sums',
      ([a = '', b = '', c = '']) => [a, b, c.replace('"fee":"3000"', '"fee":"2000"')],
    ],
  ])('is found: %s', async (_, change) => {
    await writeFile(file, `${change(lines).join('\n')}\n`)
    await expect(readLog(file)).rejects.toThrow(/^line [123] of the log /)
    await expect(SigningLog.open(file)).rejects.toThrow(/^line [123] of the log /)
  })

  it('is read without the torn line that a crash leaves, which goes when it is opened', async () => {
    await writeFile(file, `${lines.join('\n')}\n${lines[0]?.slice(0, 70)}`)
    expect(await readLog(file)).toMatchObject({ tornBytes: 70 })
    await using log = await SigningLog.open(file)
    expect([log.tornBytes, log.end.seq]).toEqual([70, 3])
    expect(await readFile(file, 'utf8')).toBe(`${lines.join('\n')}\n`)
  })
})

async function fileHandle(path: string) {
  const { open } = await import('node:fs/promises')
  await using handle = await open(path, 'r')
  return handle
}
