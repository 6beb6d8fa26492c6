import { describe, expect, onTestFinished, test } from 'vitest'
import { GuardedSigner } from '../../../src/signing/guarded-signer.ts'
import type { KeyService, SigningResult } from '../../../src/signing/key-service.ts'
import { SignerError, type SigningRequest } from '../../../src/stellar/accounts/envelope-signer.ts'
import { randomSigner } from '../../../src/stellar/accounts/signer.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const request = (at: number): SigningRequest => ({
  kind: 'message',
  network: 'stellar:testnet',
  purpose: 'announcement',
  message: String(at),
  hash: new Uint8Array(32).fill(at),
})

/** A key service whose answers the test decides; its key is that of the account. */
function open(changes: Partial<KeyService> = {}) {
  const key = randomSigner()
  const clock = new FakeClock()
  const batches: (readonly SigningRequest[])[] = []
  const calls: { reject: (error: unknown) => void; answer: () => void }[] = []
  const signed = (requests: readonly SigningRequest[]): SigningResult[] =>
    requests.map(({ hash }) => ({ ok: true, signature: key.sign(hash) }))
  const service: KeyService = {
    publicKey: async () => key.publicKey,
    sign: (requests, signal) => {
      batches.push(requests)
      const { promise, resolve, reject } = Promise.withResolvers<SigningResult[]>()
      signal.addEventListener('abort', () => reject(signal.reason))
      calls.push({ reject, answer: () => resolve(signed(requests)) })
      return promise
    },
    [Symbol.asyncDispose]: async () => undefined,
    ...changes,
  }
  const guard = new GuardedSigner({ service, address: key.address, clock, timeoutMs: 1_000 })
  onTestFinished(() => guard[Symbol.asyncDispose]())
  return { key, clock, guard, batches, calls, signed }
}

const turn = () => new Promise(setImmediate)

describe('what is asked for together', () => {
  test('is one call, and what comes meanwhile is the next one', async () => {
    const { guard, batches, calls, key } = open()
    const first = Promise.all([1, 2, 3].map((at) => guard.signAll([request(at)])))
    await turn()
    const second = Promise.all([4, 5].map((at) => guard.signAll([request(at)])))
    await turn()
    expect(batches.map((batch) => batch.length)).toEqual([3])
    calls[0]?.answer()
    expect(await first).toEqual([1, 2, 3].map((at) => [key.sign(request(at).hash)]))
    await turn()
    calls[1]?.answer()
    expect(await second).toHaveLength(2)
    expect(batches.map((batch) => batch.length)).toEqual([3, 2])
  })

  test('is at most a hundred', async () => {
    const { guard, batches, calls } = open()
    const all = guard.signAll(Array.from({ length: 250 }, (_, at) => request(at)))
    for (const at of [0, 1, 2]) {
      await turn()
      calls[at]?.answer()
    }
    expect(await all).toHaveLength(250)
    expect(batches.map((batch) => batch.length)).toEqual([100, 100, 50])
  })
})

describe('a signer that does not answer', () => {
  test('holds nobody longer than the limit, those in line neither, and is not asked again', async () => {
    const { guard, batches, clock } = open()
    const late = guard.signAll([request(1)])
    await turn()
    const inLine = guard.signAll([request(2)])
    const outcomes = Promise.allSettled([late, inLine])
    await clock.advance(1_000)
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { problem: 'unreachable', message: 'The signer did not answer within 1000 ms.' },
      })
    }
    await expect(guard.signAll([request(3)])).rejects.toThrow(SignerError)
    expect(batches).toHaveLength(1)
    expect(guard.health).toMatchObject({ state: 'fails' })
  })

  test('is asked again once it has shown the key', async () => {
    let isUp = false
    const { guard, calls, clock, key } = open({
      publicKey: async () => {
        if (!isUp) throw new SignerError('unreachable', 'There is no token.')
        return key.publicKey
      },
    })
    guard.watch()
    await turn()
    await expect(guard.signAll([request(1)])).rejects.toThrow('There is no token.')
    isUp = true
    await clock.advance(30_000)
    expect(guard.health).toEqual({ state: 'works' })
    const signing = guard.signAll([request(1)])
    await turn()
    calls[0]?.answer()
    expect(await signing).toHaveLength(1)
  })

  test('is found out although nothing is asked to be signed', async () => {
    let isUp = true
    const { guard, clock, key } = open({
      publicKey: async () => {
        if (!isUp) throw new SignerError('denied', 'The PIN is wrong.')
        return key.publicKey
      },
    })
    guard.watch()
    await turn()
    expect(guard.health).toEqual({ state: 'works' })
    isUp = false
    await clock.advance(15_000)
    expect(guard.health).toMatchObject({ state: 'fails', error: { problem: 'denied' } })
  })
})

describe('a signature', () => {
  test.each([
    ['of another hash', (sign: (hash: Uint8Array) => Uint8Array) => sign(new Uint8Array(32))],
    ['of another key', () => randomSigner().sign(request(1).hash)],
    ['that is too short', () => new Uint8Array(3)],
  ])('%s is thrown away, and nothing more is asked for', async (_, forge) => {
    const { guard, key } = open({
      sign: async () => [{ ok: true, signature: forge((hash) => key.sign(hash)) }],
    })
    await expect(guard.signAll([request(1)])).rejects.toMatchObject({ problem: 'invalid' })
    expect(guard.health).toMatchObject({ state: 'fails' })
  })

  test('that is wrong is held against a service that shows the right key, for longer each time', async () => {
    const { guard, clock } = open({
      sign: async () => [{ ok: true, signature: new Uint8Array(64) }],
    })
    guard.watch()
    await turn()
    for (const pauseMs of [500, 1_000, 2_000]) {
      await expect(guard.signAll([request(1)])).rejects.toMatchObject({ problem: 'invalid' })
      await clock.advance(pauseMs - 1)
      expect(guard.health).toMatchObject({ state: 'fails', error: { problem: 'invalid' } })
      await clock.advance(1)
      expect(guard.health).toEqual({ state: 'works' })
    }
  })

  test('that is missing fails the call', async () => {
    const { guard } = open({ sign: async () => [] })
    await expect(guard.signAll([request(1)])).rejects.toMatchObject({ problem: 'invalid' })
  })

  test('that a rule forbids fails its own request alone', async () => {
    const { guard, signed } = open({
      sign: async ([first, ...others]) => [
        { ok: false, because: `not ${first?.purpose}` },
        ...signed(others),
      ],
    })
    const [refused, given] = await Promise.allSettled([
      guard.signAll([request(1)]),
      guard.signAll([request(2)]),
    ])
    expect(refused).toMatchObject({ reason: { problem: 'refused' } })
    expect(given.status).toBe('fulfilled')
    expect(guard.health).toEqual({ state: 'works' })
  })
})

test('a signer with the key of another account is not used', async () => {
  const other = randomSigner()
  const { guard, key } = open({ publicKey: async () => other.publicKey })
  await expect(guard.check()).rejects.toThrow(
    `The signer has the key of ${other.address}, not of ${key.address}.`,
  )
  await expect(guard.signAll([request(1)])).rejects.toMatchObject({ problem: 'no_key' })
})

test('who waits when it is closed hears of it', async () => {
  const { guard } = open()
  const waiting = guard.signAll([request(1)])
  await turn()
  const heard = expect(waiting).rejects.toThrow('This process is stopping.')
  await guard[Symbol.asyncDispose]()
  await heard
})
