import { describe, expect, vi } from 'vitest'
import { createInformer, type Informer } from '../../../../src/kubernetes/runtime/cache/informer.ts'
import { identityOf, metadataOf } from '../../../../src/kubernetes/runtime/objects/metadata-only.ts'
import { wellKnown } from '../../../../src/kubernetes/runtime/objects/well-known.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { type Place, patience, silentLogger, test } from './support/operator.ts'

const COUNT = 40
const VALUE_BYTES = 50 * 1024
/** Base64, and by no compression smaller. */
const PASSWORD = 'c2VjcmV0'.repeat(VALUE_BYTES / 8)

const secret = (namespace: string, name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace,
    // What `kubectl apply` leaves: the whole object, values included.
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"a":"${PASSWORD}"}` },
  },
  data: { password: PASSWORD },
  ...more,
})

/** Follows names and versions of Secrets, without those of Helm, until the test ends. */
function followSecrets({ client, namespace }: Place): Informer & AsyncDisposable {
  const informer = createInformer({
    client,
    type: metadataOf(wellKnown.secret),
    namespaces: [namespace],
    fieldSelector: 'type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token',
    transform: identityOf,
    clock: systemClock,
    random: () => 0.5,
    logger: silentLogger,
  })
  const stop = new AbortController()
  const running = informer.run(stop.signal)
  return {
    ...informer,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

const namesIn = ({ store }: Informer): string[] =>
  [...store.values()].map(({ metadata }) => metadata.name).toSorted()

describe('on a real API server, a cache of metadata alone', () => {
  test('follows Secrets without a byte of their values', async ({ place }) => {
    const { others, namespace } = place
    const names = Array.from({ length: COUNT }, (_, index) => `s-${index}`)
    // Without the annotation: only this shows that the values themselves are not sent.
    const plain = (name: string, data: object = {}) =>
      secret(namespace, name, { metadata: { name, namespace }, ...data })
    await Promise.all(names.map((name) => others.apply(wellKnown.secret, plain(name))))
    await using informer = followSecrets(place)
    await informer.synced
    await others.apply(wellKnown.secret, plain('s-0', { data: { password: 'b3RoZXI=' } }))
    await others.apply(wellKnown.secret, plain('new'))
    await others.delete(wellKnown.secret, { namespace, name: 's-1' })
    const expected = [...names.filter((name) => name !== 's-1'), 'new'].toSorted()
    const { metadata } = await others.get(wellKnown.secret, { namespace, name: 's-0' })

    await vi.waitFor(() => {
      expect(namesIn(informer)).toEqual(expected)
      expect(informer.store.get(`${namespace}/s-0`)?.metadata).toEqual({
        name: 's-0',
        namespace,
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
      })
    }, patience)
    expect([...informer.store.values()].map(({ kind }) => kind)).toEqual(
      expected.map(() => 'Secret'),
    )
    const received = place.proxy.calls.reduce((sum, { responseBytes }) => sum + responseBytes, 0)
    expect(received).toBeGreaterThan(0)
    expect(received).toBeLessThan((COUNT * VALUE_BYTES) / 10)
  })

  test('holds no annotation: that of kubectl has every value', async ({ place }) => {
    const { others, namespace } = place
    await others.apply(wellKnown.secret, secret(namespace, 'listed'))
    await using informer = followSecrets(place)
    await informer.synced
    await others.apply(wellKnown.secret, secret(namespace, 'watched'))

    await vi.waitFor(() => expect(namesIn(informer)).toEqual(['listed', 'watched']), patience)
    expect(JSON.stringify([...informer.store.values()])).not.toContain(PASSWORD.slice(0, 100))
  })

  test('leaves out what the field selector leaves out, at the start and later', async ({
    place,
  }) => {
    const { others, namespace } = place
    const release = (name: string) => secret(namespace, name, { type: 'helm.sh/release.v1' })
    await others.apply(wellKnown.secret, release('release-1'))
    await using informer = followSecrets(place)
    await informer.synced
    await others.apply(wellKnown.secret, release('release-2'))
    await others.apply(wellKnown.secret, secret(namespace, 'mine'))

    await vi.waitFor(() => expect(namesIn(informer)).toEqual(['mine']), patience)
  })

  test('resumes after a version that the server no longer has', async ({ place }) => {
    const { others, namespace, proxy } = place
    await using informer = followSecrets(place)
    await informer.synced
    proxy.fail({ kind: 'gone' }, { verbs: ['watch'] }).heal()
    await others.apply(wellKnown.secret, secret(namespace, 'late'))

    await vi.waitFor(() => expect(namesIn(informer)).toEqual(['late']), patience)
  })
})
