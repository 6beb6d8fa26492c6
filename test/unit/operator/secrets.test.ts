import { expect, test } from 'vitest'
import type { KubeClient } from '../../../src/kube/client.ts'
import { KubeError } from '../../../src/kube/kube-error.ts'
import { ObjectStore } from '../../../src/kube/store.ts'
import type { Secret } from '../../../src/kube/well-known.ts'
import { createSecretReader } from '../../../src/operator/secrets.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const secret = (name: string, value: string, resourceVersion = '1'): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'ns', uid: name, resourceVersion },
  data: { key: base64(value) },
})

function reader(served: Record<string, Secret | KubeError>) {
  const clock = new FakeClock()
  const watched = new ObjectStore<Secret>()
  const requested: string[] = []
  const get: KubeClient['get'] = async (_type, { name }) => {
    requested.push(name)
    const found = served[name] ?? new KubeError({ kind: 'notFound', message: 'none' })
    if (found instanceof KubeError) throw found
    return Object(found)
  }
  const secrets = createSecretReader({ client: { get }, watched, clock })
  const signal = new AbortController().signal
  const read = (name: string, key = 'key') => secrets.read({ namespace: 'ns', name, key }, signal)
  return { clock, watched, requested, secrets, read, served }
}

test('a watched Secret costs no request, and its change is visible at once', async () => {
  const { watched, requested, read, secrets } = reader({})
  watched.put(secret('a', ' first\n'))
  expect(await read('a')).toBe('first')
  watched.put(secret('a', 'second', '2'))
  expect(await read('a')).toBe('second')
  expect(await read('a', 'other')).toBeUndefined()
  expect(requested).toEqual([])
  expect(secrets.isWatched({ namespace: 'ns', name: 'a' })).toBe(true)
  expect(secrets.isWatched({ namespace: 'elsewhere', name: 'a' })).toBe(false)
})

test('an unwatched Secret is read by name, once in 20 s for all callers', async () => {
  const { clock, requested, read, served } = reader({ a: secret('a', 'first') })
  expect(await read('a')).toBe('first')
  served['a'] = secret('a', 'second')
  expect(await read('a')).toBe('first')
  await clock.advance(20_000)
  expect(await read('a')).toBe('second')
  expect(requested).toEqual(['a', 'a'])
})

test('a missing Secret is read again after 20 s', async () => {
  const { clock, read, served } = reader({})
  expect(await read('a')).toBeUndefined()
  served['a'] = secret('a', 'come')
  expect(await read('a')).toBeUndefined()
  await clock.advance(20_000)
  expect(await read('a')).toBe('come')
})

test('any other error is thrown', async () => {
  const { read } = reader({ a: new KubeError({ kind: 'forbidden', message: 'no' }) })
  await expect(read('a')).rejects.toThrow('no')
})
