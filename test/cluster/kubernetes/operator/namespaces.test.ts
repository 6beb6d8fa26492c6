/** An operator with rights in some namespaces, of which one is deleted. */
import { expect, vi } from 'vitest'
import { facilitatorManifest, type Json } from '../../../support/api/manifests.ts'
import { startApiProxy } from '../../support/api-proxy.ts'
import type { Cluster } from '../../support/cluster.ts'
import { test } from '../../support/cluster-test.ts'
import { installDefinitions } from '../crd/objects.ts'
import { type OperatorProcess, startOperator } from './operator-process.ts'

const patience = { timeout: 240_000, interval: 100 }
const CORE = {
  facilitators: 'apis/x402.svc.dev/v1beta1',
  rbac: 'apis/rbac.authorization.k8s.io/v1',
}

async function post(cluster: Cluster, path: string, body: Json): Promise<void> {
  const answer = await cluster.request('POST', path, { body })
  expect(answer.status, answer.text).toBe(201)
}

/** Everything inside one namespace, and nothing outside. */
async function grant(cluster: Cluster, namespace: string, user: Json): Promise<void> {
  const roles = `/${CORE.rbac}/namespaces/${namespace}`
  const rules = [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]
  await post(cluster, `${roles}/roles`, { metadata: { name: 'operator' }, rules })
  await post(cluster, `${roles}/rolebindings`, {
    metadata: { name: 'operator' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'operator' },
    subjects: [user],
  })
}

test('a namespace that is deleted leaves no endless errors, and the operator starts without it', {
  timeout: 180_000,
}, async ({ cluster }) => {
  await installDefinitions(cluster)
  await using here = await cluster.namespace('here')
  await using gone = await cluster.namespace('gone')
  await post(cluster, `/api/v1/namespaces/${here.name}/serviceaccounts`, {
    metadata: { name: 'operator' },
  })
  const user = { kind: 'ServiceAccount', name: 'operator', namespace: here.name }
  for (const { name } of [here, gone]) await grant(cluster, name, user)
  const token = await cluster.kubectl(['create', 'token', 'operator', '-n', here.name])
  await using proxy = await startApiProxy(cluster.kubeconfigPath)
  const kubeconfig = await proxy.kubeconfigFor(token.trim())
  const facilitators = (namespace: string) =>
    `/${CORE.facilitators}/namespaces/${namespace}/facilitators`
  const operate = () =>
    startOperator(kubeconfig, {
      WATCH_NAMESPACES: `${here.name},${gone.name}`,
      POD_NAMESPACE: here.name,
      RESYNC_SECONDS: '1',
    })
  const isReported = (namespace: string, name: string) =>
    vi.waitFor(async () => {
      const { status } = Object(
        (await cluster.request('GET', `${facilitators(namespace)}/${name}`)).body,
      )
      expect(status?.conditions?.[0]).toMatchObject({ type: 'Ready', reason: 'PoolMissing' })
    }, patience)
  const errors = ({ lines }: OperatorProcess) =>
    lines.filter(({ level }) => Number(level) >= 50 || level === 'error').map(({ msg }) => msg)

  {
    await using operator = operate()
    for (const { name } of [here, gone]) {
      await post(cluster, facilitators(name), { ...facilitatorManifest({}, { name: 'first' }) })
    }
    await isReported(here.name, 'first')
    await isReported(gone.name, 'first')

    await cluster.request('DELETE', `/api/v1/namespaces/${gone.name}`)
    await vi.waitFor(async () => {
      expect((await cluster.request('GET', `/api/v1/namespaces/${gone.name}`)).status).toBe(404)
    }, patience)
    // It still works for the other, whose passes come after all that the deletion led to.
    await post(cluster, facilitators(here.name), {
      ...facilitatorManifest({}, { name: 'second' }),
    })
    await isReported(here.name, 'second')
    const before = errors(operator).length
    proxy.forget()
    await post(cluster, facilitators(here.name), { ...facilitatorManifest({}, { name: 'third' }) })
    await isReported(here.name, 'third')
    expect(errors(operator).slice(before)).toEqual([])
    const lost = proxy.calls.filter(
      ({ path, verb }) => path.includes(gone.name) && verb !== 'watch',
    )
    expect(lost).toEqual([])
    // It gives its lease back, so that the next one does not wait for its end.
    operator.kill('SIGTERM')
    await operator.exited
  }

  await using again = operate()
  await post(cluster, facilitators(here.name), { ...facilitatorManifest({}, { name: 'fourth' }) })
  await isReported(here.name, 'fourth')
  const refusals = again.lines.filter(({ msg }) => String(msg).includes('refuses to list'))
  const kinds = refusals.map(({ kind, namespace }) => `${namespace} ${kind}`)
  expect(kinds).toContain(`${gone.name} Facilitator`)
  expect(kinds.filter((each) => each.endsWith(' Facilitator'))).toHaveLength(1)
})
