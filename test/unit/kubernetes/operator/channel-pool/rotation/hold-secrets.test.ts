import { describe, expect, test } from 'vitest'
import { sponsorFinalizer } from '../../../../../../src/kubernetes/crd/names/marks.ts'
import {
  freeChannelSecret,
  freeSecrets,
  holdChannelSecret,
  holdSecrets,
  type SecretsClient,
} from '../../../../../../src/kubernetes/operator/channel-pool/rotation/hold-secrets.ts'
import {
  channelSecretOf,
  type SponsorSource,
} from '../../../../../../src/kubernetes/operator/references/sponsor-source.ts'
import { KubeError } from '../../../../../../src/kubernetes/runtime/client/kube-error.ts'
import { sponsors } from '../../../../../support/api/sponsors.ts'
import { addressA, poolNaming, rotation, secretA, secretB, sourceA } from './rotations.ts'

const { signal } = new AbortController()
const FOREIGN = 'example.com/keep'

interface StoredSecret {
  finalizers: readonly string[]
  deletionTimestamp?: string
}

/** An API server with Secrets alone, for what a real one does only by chance: one that goes between two calls. */
class Secrets {
  readonly stored = new Map<string, StoredSecret>()
  readonly writes: string[] = []
  /** Called before each write. */
  beforeWrite: (name: string) => void = () => undefined

  readonly client = Object({
    fieldManager: 'test',
    get: async (_: unknown, { name }: { name: string }) => this.#read(name),
    apply: async (
      _: unknown,
      { metadata }: { metadata: { name: string; finalizers?: string[] } },
    ) => {
      const { name, finalizers = [] } = metadata
      this.#write(name, [
        ...this.#of(name).finalizers.filter((each) => each !== sponsorFinalizer),
        ...finalizers,
      ])
      return { object: this.#read(name) }
    },
    patch: async (
      _: unknown,
      { name }: { name: string },
      { metadata }: { metadata: { finalizers: string[] } },
    ) => {
      this.#write(name, metadata.finalizers)
      return this.#read(name)
    },
  }) as SecretsClient

  #of(name: string): StoredSecret {
    const secret = this.stored.get(name)
    if (!secret) throw new KubeError({ kind: 'notFound', message: name, status: 404 })
    return secret
  }

  #read(name: string): object {
    const { finalizers, ...more } = this.#of(name)
    const metadata = { name, namespace: 'x402', uid: name, resourceVersion: '1', ...more }
    return { apiVersion: 'v1', kind: 'Secret', metadata: { ...metadata, finalizers } }
  }

  #write(name: string, finalizers: readonly string[]): void {
    this.beforeWrite(name)
    this.stored.set(name, { ...this.#of(name), finalizers })
    this.writes.push(name)
  }
}

function secretsOf(...names: readonly string[]): Secrets {
  const secrets = new Secrets()
  for (const name of names) secrets.stored.set(name, { finalizers: [] })
  return secrets
}

const held = { pool: poolNaming(sourceA), rotation: rotation() }
const all = { inUse: undefined, signal }
const finalizersOf = ({ stored }: Secrets) =>
  Object.fromEntries([...stored].map(([name, { finalizers }]) => [name, finalizers]))

describe('holdSecrets', () => {
  test('gives both Secrets the finalizer, once', async () => {
    const secrets = secretsOf(secretA.name, secretB.name)
    await holdSecrets(secrets.client, held, signal)
    await holdSecrets(secrets.client, held, signal)
    expect(finalizersOf(secrets)).toEqual({
      [secretA.name]: [sponsorFinalizer],
      [secretB.name]: [sponsorFinalizer],
    })
    expect(secrets.writes).toEqual([secretA.name, secretB.name])
  })

  test('writes once where both seeds are in one Secret', async () => {
    const secrets = secretsOf(secretA.name)
    const to = { source: { secretRef: { ...secretA, key: 'next' } } }
    await holdSecrets(secrets.client, { ...held, rotation: rotation({ to }) }, signal)
    expect(secrets.writes).toEqual([secretA.name])
  })

  test('leaves one that is gone or going, and holds the other', async () => {
    const secrets = secretsOf(secretB.name)
    await holdSecrets(secrets.client, held, signal)
    expect(secrets.writes).toEqual([secretB.name])
    const going = secretsOf(secretB.name)
    const deletionTimestamp = '2026-01-01T00:00:00Z'
    going.stored.set(secretA.name, { finalizers: [FOREIGN], deletionTimestamp })
    await holdSecrets(going.client, held, signal)
    expect(going.writes).toEqual([secretB.name])
  })
})

describe('the Secret of the channels', () => {
  const { pkcs11, vault } = sponsors
  const pool = poolNaming(vault)
  const nameOf = (source: SponsorSource) => channelSecretOf(pool, source)?.name ?? ''
  const own = nameOf(vault)

  test('is held as long as the pool derives keys from it', async () => {
    const secrets = secretsOf(own)
    await holdChannelSecret(secrets.client, { pool, source: vault }, signal)
    expect(finalizersOf(secrets)).toEqual({ [own]: [sponsorFinalizer] })
    await freeChannelSecret(secrets.client, { pool, source: vault }, signal)
    expect(finalizersOf(secrets)).toEqual({ [own]: [] })
  })

  test('stays held after a rotation, of the sponsor in use alone', async () => {
    const from = { address: 'G', source: { ...pkcs11, address: addressA } }
    const to = { address: 'G', source: vault }
    const before = nameOf(from.source)
    const secrets = secretsOf(own, before, 'hsm', 'vault-ca')
    const moved = { pool, rotation: rotation({ from, to }) }
    await holdSecrets(secrets.client, moved, signal)
    expect(Object.values(finalizersOf(secrets))).toEqual(Array(4).fill([sponsorFinalizer]))
    await freeSecrets(secrets.client, moved, { inUse: vault, signal })
    expect(finalizersOf(secrets)).toEqual({
      [own]: [sponsorFinalizer],
      [before]: [],
      hsm: [],
      'vault-ca': [],
    })
  })
})

describe('freeSecrets', () => {
  test('takes its own finalizer from both, and no other', async () => {
    const secrets = secretsOf(secretB.name)
    secrets.stored.set(secretA.name, { finalizers: [FOREIGN] })
    await holdSecrets(secrets.client, held, signal)
    await freeSecrets(secrets.client, held, all)
    await freeSecrets(secrets.client, held, all)
    expect(finalizersOf(secrets)).toEqual({ [secretA.name]: [FOREIGN], [secretB.name]: [] })
    expect(secrets.writes).toHaveLength(4)
  })

  test('goes on when a Secret goes meanwhile, and fails with anything else', async () => {
    const secrets = secretsOf(secretA.name, secretB.name)
    await holdSecrets(secrets.client, held, signal)
    secrets.beforeWrite = (name) => {
      if (name === secretA.name) secrets.stored.delete(name)
    }
    await freeSecrets(secrets.client, held, all)
    expect(finalizersOf(secrets)).toEqual({ [secretB.name]: [] })

    await holdSecrets(secrets.client, held, signal)
    const conflict = new KubeError({ kind: 'conflict', message: 'changed', status: 409 })
    secrets.beforeWrite = () => {
      throw conflict
    }
    await expect(freeSecrets(secrets.client, held, all)).rejects.toBe(conflict)
  })
})
