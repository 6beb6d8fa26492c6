import { describe, expect, test } from 'vitest'
import { createSecretReader } from '../../../../../src/kubernetes/operator/watches/secrets.ts'
import type { KubeClient } from '../../../../../src/kubernetes/runtime/client/client.ts'
import { KubeError } from '../../../../../src/kubernetes/runtime/client/kube-error.ts'
import type { Secret } from '../../../../../src/kubernetes/runtime/objects/well-known.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'

const MINUTE = 60_000
const base64 = (text: string) => Buffer.from(text).toString('base64')
const secret = (name: string, value: string, resourceVersion = '1'): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'ns', uid: name, resourceVersion },
  data: { key: base64(value) },
})

function reader(served: Record<string, Secret | KubeError>, { isWatching = true } = {}) {
  const clock = new FakeClock()
  const labelled = new Map<string, Secret>()
  const versions = new Map<string, string>()
  const requested: string[] = []
  const get: KubeClient['get'] = async (_type, { name }) => {
    requested.push(name)
    const found = served[name] ?? new KubeError({ kind: 'notFound', message: 'none' })
    if (found instanceof KubeError) throw found
    return Object(found)
  }
  const watched = {
    informers: [],
    labelled: (key: string) => labelled.get(key),
    versionOf: (key: string) => versions.get(key),
    heldIn: () => [],
    sees: () => isWatching,
  }
  const secrets = createSecretReader({ client: { get }, watched, clock })
  const signal = new AbortController().signal
  const read = (name: string, key = 'key') => secrets.read({ namespace: 'ns', name, key }, signal)
  return { clock, labelled, versions, requested, secrets, read, served }
}

test('a labelled Secret costs no request, and its change is visible at once', async () => {
  const { labelled, requested, read, secrets } = reader({}, { isWatching: false })
  labelled.set('ns/a', secret('a', ' first\n'))
  expect(await read('a')).toBe('first')
  labelled.set('ns/a', secret('a', 'second', '2'))
  expect(await read('a')).toBe('second')
  expect(await read('a', 'other')).toBeUndefined()
  expect(requested).toEqual([])
  expect(secrets.isWatched({ namespace: 'ns', name: 'a' })).toBe(true)
  expect(secrets.isWatched({ namespace: 'ns', name: 'b' })).toBe(false)
})

describe('a Secret whose changes a watch reports without values', () => {
  test('is read once for each version, however long it stays', async () => {
    const { clock, versions, requested, read, served, secrets } = reader({
      a: secret('a', 'first'),
    })
    versions.set('ns/a', '1')
    expect(secrets.isWatched({ namespace: 'ns', name: 'a' })).toBe(true)
    for (let hour = 0; hour < 3; hour++) {
      expect(await read('a')).toBe('first')
      await clock.advance(60 * MINUTE)
    }
    expect(requested).toEqual(['a'])
    served['a'] = secret('a', 'second', '2')
    versions.set('ns/a', '2')
    expect(await read('a')).toBe('second')
    expect(await read('a')).toBe('second')
    expect(requested).toEqual(['a', 'a'])
  })

  test('is not read again while the watch is behind the answer', async () => {
    const { versions, requested, read } = reader({ a: secret('a', 'second', '12') })
    versions.set('ns/a', '9')
    expect([await read('a'), await read('a')]).toEqual(['second', 'second'])
    expect(requested).toEqual(['a'])
  })

  test('is read when it appears, and gone when it is deleted', async () => {
    const { versions, requested, read, served } = reader({})
    expect([await read('a'), await read('a')]).toEqual([undefined, undefined])
    expect(requested).toEqual(['a'])
    served['a'] = secret('a', 'come')
    versions.set('ns/a', '1')
    expect(await read('a')).toBe('come')
    delete served['a']
    versions.delete('ns/a')
    expect(await read('a')).toBeUndefined()
  })
})

test.each([
  { length: 20_000, capacity: 8 },
  { length: 3_000, capacity: 2_000 },
])('only $capacity Secrets with $length characters are in memory', async ({ length, capacity }) => {
  const names = Array.from({ length: capacity + 1 }, (_, index) => `long-${index}`)
  const long = 'v'.repeat(length)
  const { versions, requested, read } = reader(
    Object.fromEntries(
      [...names, 'short'].map((name) => [name, secret(name, name === 'short' ? 's' : long)]),
    ),
  )
  for (const name of ['short', ...names]) {
    versions.set(`ns/${name}`, '1')
    await read(name)
  }
  requested.length = 0
  for (const name of ['short', `long-${capacity}`, 'long-0']) {
    expect(await read(name)).toBeDefined()
  }
  expect(requested).toEqual(['long-0'])
})

describe('a Secret of an operator that watches none', () => {
  test('is read by name, once in four minutes for all callers', async () => {
    const { clock, requested, read, served } = reader(
      { a: secret('a', 'first') },
      { isWatching: false },
    )
    expect(await read('a')).toBe('first')
    served['a'] = secret('a', 'second')
    await clock.advance(3 * MINUTE)
    expect(await read('a')).toBe('first')
    await clock.advance(MINUTE)
    expect(await read('a')).toBe('second')
    expect(requested).toEqual(['a', 'a'])
  })

  test('that is missing is read again after 20 s', async () => {
    const { clock, read, served } = reader({}, { isWatching: false })
    expect(await read('a')).toBeUndefined()
    served['a'] = secret('a', 'come')
    expect(await read('a')).toBeUndefined()
    await clock.advance(20_000)
    expect(await read('a')).toBe('come')
  })
})

test('any other error is thrown', async () => {
  const { read } = reader({ a: new KubeError({ kind: 'forbidden', message: 'no' }) })
  await expect(read('a')).rejects.toThrow('no')
})
