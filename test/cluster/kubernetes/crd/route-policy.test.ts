import { readFileSync } from 'node:fs'
import { expect, vi } from 'vitest'
import { documents } from '../../../../tools/generate/rendered.ts'
import { facilitatorManifest } from '../../../support/api/manifests.ts'
import { test } from '../../support/cluster-test.ts'
import { installDefinitions } from './objects.ts'

/** The chart with `rbac.routePolicy: true`, as `chart.test.ts` compares it. */
const golden = new URL('../../packaging/golden/everything.yaml', import.meta.url)
const policy = documents(readFileSync(golden, 'utf8'))
  .filter((text) => /^kind: ValidatingAdmissionPolicy/m.test(text))
  .join('\n---\n')

const route = { hosts: ['pay.example'], parentRefs: [{ name: 'shared' }] }

test('the policy of the chart keeps routes to those who may write them', async ({ cluster }) => {
  await installDefinitions(cluster)
  await using space = await cluster.namespace('routes')
  const { name: namespace } = space
  await cluster.kubectl(['apply', '-f', '-'], { input: policy })
  try {
    const bind = (user: string) =>
      cluster.kubectl([
        'create',
        'rolebinding',
        user,
        '-n',
        namespace,
        `--role=${user}`,
        `--user=${user}`,
      ])
    const rule = (apiGroup: string, resource: string) => ({
      apiGroups: [apiGroup],
      resources: [resource],
      verbs: ['*'],
    })
    const own = rule('x402.svc.dev', 'facilitators')
    const roles = { editor: [own], router: [own, rule('gateway.networking.k8s.io', 'httproutes')] }
    for (const [user, rules] of Object.entries(roles)) {
      const role = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: user, namespace },
        rules,
      }
      await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(role) })
      await bind(user)
    }
    const collection = `/apis/x402.svc.dev/v1beta1/namespaces/${namespace}/facilitators`
    const create = (user: string, spec: object, query = '?dryRun=All') =>
      cluster.request('POST', `${collection}${query}`, {
        body: { ...facilitatorManifest(spec as never) },
        headers: { 'impersonate-user': user },
      })
    // The API server reads policies after a while.
    await vi.waitFor(
      async () => {
        const { status, text } = await create('editor', { route })
        expect([status, text]).toEqual([
          422,
          expect.stringContaining('the right to create httproutes'),
        ])
      },
      { timeout: 120_000, interval: 200 },
    )
    expect((await create('editor', {})).status).toBe(201)
    expect((await create('router', { route }, '')).status).toBe(201)
    const change = (user: string, spec: object) =>
      cluster.request('PATCH', `${collection}/payments?dryRun=All`, {
        body: { spec },
        contentType: 'application/merge-patch+json',
        headers: { 'impersonate-user': user },
      })
    expect((await change('editor', { replicas: 3 })).status).toBe(200)
    expect((await change('editor', { route: { hosts: ['other.example'] } })).status).toBe(422)
    expect((await change('editor', { route: null })).status).toBe(200)
  } finally {
    await cluster.kubectl(['delete', '-f', '-'], { input: policy })
  }
})
