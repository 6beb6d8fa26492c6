import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  createDigestReader,
  type DigestKeyOptions,
} from '../../../../src/kubernetes/operator/secret-digest.ts'
import { KubeError } from '../../../../src/kubernetes/runtime/client/kube-error.ts'

const secret = { namespace: 'x402-system', name: 'digest-key' }
const missing = () => new KubeError({ kind: 'notFound', message: 'not found' })
const conflict = () => new KubeError({ kind: 'conflict', message: 'changed' })

/** One Secret, with the versions and conflicts of an API server. */
function serverWith(data?: Readonly<Record<string, string>> | null) {
  let version = 1
  let stored = data === undefined ? undefined : { metadata: {}, data: data ?? undefined }
  const calls: string[] = []
  const write = (next: { data: Readonly<Record<string, string>> }) => {
    version += 1
    stored = { metadata: {}, data: next.data }
    return stored
  }
  const client = {
    get: async () => {
      calls.push('get')
      if (!stored) throw missing()
      return { ...stored, metadata: { resourceVersion: String(version) } }
    },
    create: async (_: unknown, body: never) => {
      calls.push('create')
      if (stored) throw conflict()
      return write(body)
    },
    patch: async (_: unknown, __: unknown, body: never) => {
      calls.push('patch')
      const { metadata } = Object(body)
      if (metadata.resourceVersion !== String(version)) throw conflict()
      return write(body)
    },
  } as unknown as DigestKeyOptions['client']
  return { client, calls, key: () => stored?.data?.['key'] }
}

describe('N3: the digests of Secrets', () => {
  test('are the same for every leader, whichever wrote the key', async () => {
    for (const data of [undefined, null]) {
      const { client, calls } = serverWith(data)
      const first = await createDigestReader({ client, secret })()
      const second = await createDigestReader({ client, secret })()
      expect(second('postgres://user:password@db/x')).toBe(first('postgres://user:password@db/x'))
      expect(first('one')).not.toBe(first('other'))
      expect(calls).toEqual(['get', data === undefined ? 'create' : 'patch', 'get'])
    }
  })

  test('are made with one key by operators that start at once', async () => {
    for (const data of [undefined, null]) {
      const { client } = serverWith(data)
      const [one, other] = await Promise.all(
        [1, 2].map(() => createDigestReader({ client, secret })()),
      )
      expect(one?.('value')).toBe(other?.('value'))
    }
  })

  test('need one read of the key for all passes, and another one after a failure', async () => {
    const { client, calls } = serverWith({ key: randomBytes(32).toString('base64') })
    let isDown = true
    const read = createDigestReader({
      client: {
        ...client,
        get: async (...args: never[]) => {
          if (isDown) throw new KubeError({ kind: 'forbidden', message: 'no right' })
          return client.get(...(args as unknown as Parameters<typeof client.get>)) as never
        },
      },
      secret,
    })
    await expect(read()).rejects.toThrow('no right')
    isDown = false
    await Promise.all([read(), read()])
    await read()
    expect(calls).toEqual(['get'])
  })

  test('are not made while the Secret is gone and may not be created, as with the roles of the chart', async () => {
    const { client } = serverWith()
    const create = async () => {
      throw new KubeError({ kind: 'forbidden', message: 'no right' })
    }
    const without = createDigestReader({ client: { ...client, create }, secret })
    await expect(without()).rejects.toMatchObject({ kind: 'forbidden' })
    await client.create({} as never, { data: {} } as never)
    await expect(without()).resolves.toBeTypeOf('function')
  })

  test('are not made with a key that can be guessed', async () => {
    const { client, key } = serverWith({ key: Buffer.from('short').toString('base64') })
    await createDigestReader({ client, secret })()
    expect(Buffer.from(key() ?? '', 'base64')).toHaveLength(32)
  })
})
