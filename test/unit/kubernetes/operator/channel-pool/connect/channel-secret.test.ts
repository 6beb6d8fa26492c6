import { beforeEach, describe, expect, test } from 'vitest'
import type { ChannelPool } from '../../../../../../src/kubernetes/crd/channel-pool.ts'
import { channelSecretFor } from '../../../../../../src/kubernetes/operator/channel-pool/connect/channel-secret.ts'
import { channelSecretOf } from '../../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import { KubeError } from '../../../../../../src/kubernetes/runtime/client/kube-error.ts'
import type { KubeObject } from '../../../../../../src/kubernetes/runtime/objects/resource.ts'
import type { Secret } from '../../../../../../src/kubernetes/runtime/objects/well-known.ts'
import type { Store } from '../../../../../../src/platform/database/open.ts'
import { secretOfSeed } from '../../../../../../src/stellar/accounts/signer.ts'
import { isSecretSeed } from '../../../../../../src/stellar/accounts/strkey.ts'
import { SPONSOR_ADDRESS as sponsor, sponsors } from '../../../../../support/api/sponsors.ts'

const { signal } = new AbortController()
const seed = secretOfSeed(Buffer.alloc(32, 5))
const name = channelSecretOf({ metadata: { name: 'testnet' } }, sponsors.vault)?.name ?? ''
const encoded = (value: string) => Buffer.from(value).toString('base64')

let stored: Secret | undefined
let refusal: KubeError | undefined
let created: object[]
/** The reader may be behind the API server. */
let isRead: boolean

beforeEach(() => {
  stored = undefined
  refusal = undefined
  created = []
  isRead = true
})

const client = Object({
  get: async () => {
    if (!stored) throw new KubeError({ kind: 'notFound', message: name, status: 404 })
    return stored
  },
  create: async (_: unknown, object: Secret) => {
    if (refusal) throw refusal
    created.push(object)
    stored = object
    return object
  },
})
const secrets = {
  read: async ({ key }: { key: string }) => {
    const value = isRead ? stored?.data?.[key] : undefined
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString()
  },
}

/** A store with channels in these states. */
const storeWith = (...states: readonly string[]): Store => {
  const rows = states.map((state, index) => ({ index, account: 'G', state }))
  const query: object = new Proxy(
    {},
    { get: (_, member) => (member === 'execute' ? async () => rows : () => query) },
  )
  return { db: query } as unknown as Store
}

const find = ({ store = storeWith(), source = sponsors.vault as never, status = {} } = {}) =>
  channelSecretFor(
    { client, secrets },
    {
      pool: { metadata: { name: 'testnet', namespace: 'shop' }, status } as unknown as ChannelPool &
        KubeObject,
      source,
      sponsor,
      network: 'stellar:testnet',
      store,
      signal,
    },
  )

describe('the Secret of the channels', () => {
  test('is none of a sponsor with a seed', async () => {
    expect(await find({ source: sponsors.secretRef as never })).toBeUndefined()
    expect(created).toEqual([])
  })

  test('is created once, with a random seed, and nobody may change it', async () => {
    const value = await find()
    expect(isSecretSeed(value ?? '')).toBe(true)
    expect(created).toMatchObject([
      {
        metadata: { name, namespace: 'shop', labels: { 'x402.svc.dev/channel-pool': 'testnet' } },
        immutable: true,
        data: { secret: encoded(value ?? '') },
      },
    ])
    expect(Object(created[0]).metadata.ownerReferences).toBeUndefined()
    expect(await find()).toBe(value)
    isRead = false
    expect(await find({ store: storeWith('active') })).toBe(value)
    expect(created).toHaveLength(1)
  })

  test('is that of another leader which was faster', async () => {
    refusal = new KubeError({ kind: 'conflict', message: 'exists', status: 409 })
    isRead = false
    const finding = find()
    stored = { metadata: { name }, data: { secret: encoded(seed) } } as unknown as Secret
    expect(await finding).toBe(seed)
  })

  test('is not made anew while the store or the status has channels of it', async () => {
    const message = `There is no Secret ${name}, from which the keys of the 2 channels of sponsor ${sponsor} are derived: restore it from a backup. Without it their reserves are lost, 1 XLM each.`
    const missing = { reason: 'ChannelSecretMissing', message }
    await expect(find({ store: storeWith('active', 'retired', 'draining') })).rejects.toMatchObject(
      missing,
    )
    const status = { sponsor: { address: sponsor }, channels: { accounts: 2 } }
    await expect(find({ status })).rejects.toMatchObject(missing)
    expect(created).toEqual([])
    await find({ store: storeWith('retired') })
    expect(created).toHaveLength(1)
  })

  test('is refused when it holds no seed', async () => {
    stored = { metadata: { name }, data: { secret: encoded('hello') } } as unknown as Secret
    await expect(find()).rejects.toMatchObject({ reason: 'ChannelSecretInvalid' })
    stored = { metadata: { name }, data: {} } as unknown as Secret
    await expect(find()).rejects.toMatchObject({ reason: 'ChannelSecretInvalid' })
  })

  test('is asked for where the operator may create none', async () => {
    refusal = new KubeError({ kind: 'forbidden', message: 'no', status: 403 })
    await expect(find()).rejects.toMatchObject({
      reason: 'ChannelSecretMissing',
      message: `There is no Secret ${name}, key secret, for the channels of sponsor ${sponsor}, and the operator may not create it: grant it the right (secrets.create of the chart), or create the Secret with a new random seed (S...).`,
    })
  })
})
