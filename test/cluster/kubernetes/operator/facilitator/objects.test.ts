import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { expect } from 'vitest'
import type { DesiredFacilitator } from '../../../../../src/kubernetes/operator/facilitator/desired/desired.ts'
import { render } from '../../../../../src/kubernetes/operator/facilitator/render/render.ts'
import {
  isOptional,
  kindOf,
  typeOf,
} from '../../../../../src/kubernetes/operator/watches/child-kinds.ts'
import type { DesiredObject } from '../../../../../src/kubernetes/runtime/objects/resource.ts'
import { collectionPath } from '../../../../../src/kubernetes/runtime/objects/resource.ts'
import { writtenSponsors } from '../../../../support/api/sponsors.ts'
import {
  desiredEverything,
  desiredWith,
  poolWith,
} from '../../../../unit/kubernetes/operator/facilitator/builders.ts'
import { test } from './rig.ts'

/** The whole example of the page, which a reader copies into a namespace of any standard. */
function exampleOfThePage(): DesiredFacilitator {
  const page = readFileSync(new URL('../../../../../docs/facilitators.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text)
  const example = blocks.find((text) => text.includes('name: log-agent')) ?? ''
  const { spec } = Object(load(example))
  return desiredWith(spec, { secrets: { 'payments-db-app/uri': 'postgres://a@db:5432/b' } })
}

/** With the pods of every object that has a pod template. */
function objectsOf(desired: DesiredFacilitator): readonly DesiredObject[] {
  const { independent, migration, rollouts } = render(desired)
  const deployments = rollouts.map(({ deployment }) => deployment)
  const pods = [migration, ...deployments].map(({ metadata, ...object }): DesiredObject => {
    const { template } = Object(object['spec'])
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      ...template,
      metadata: { ...template.metadata, name: metadata.name },
    }
  })
  return [
    ...independent,
    migration,
    ...rollouts.map(({ configMap }) => configMap),
    ...deployments,
    ...pods,
  ]
}

test.for([
  { name: 'least', desired: desiredWith() },
  { name: 'everything', desired: desiredEverything() },
  { name: 'the example of the page', desired: exampleOfThePage() },
  ...(['pkcs11', 'vault', 'http', 'socket'] as const).map((kind) => ({
    name: `a signer, ${kind}`,
    desired: desiredWith({}, { pools: [poolWith({ sponsor: writtenSponsors[kind] })] }),
  })),
  { name: 'one replica', desired: desiredWith({ replicas: 1, networkPolicy: { mode: 'Never' } }) },
])(
  'it renders only what strict validation and the restricted standard take without a warning: $name',
  async ({ desired }, { rig }) => {
    const { cluster, namespace } = rig
    const account = {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'payments-pods' },
    }
    await cluster.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, {
      body: account,
    })
    for (const object of objectsOf(desired)) {
      const isPod = object.kind === 'Pod'
      if (!isPod && isOptional(kindOf(object))) continue
      const collection = isPod
        ? `/api/v1/namespaces/${namespace}/pods`
        : collectionPath(typeOf(kindOf(object)), namespace)
      const { name } = object.metadata
      const target = `${collection}/${name}?fieldManager=test&force=true&dryRun=All&fieldValidation=Strict`
      const { priorityClassName: _, ...spec } = Object(object['spec'])
      const answer = await cluster.request('PATCH', target, {
        // The cluster has no such PriorityClass.
        body: { ...object, ...(isPod && { spec }), metadata: { ...object.metadata, namespace } },
        contentType: 'application/apply-patch+yaml',
      })
      expect([200, 201], `${object.kind} ${name}: ${answer.text}`).toContain(answer.status)
      expect(answer.headers['warning'], `${object.kind} ${name}`).toBeUndefined()
    }
  },
)
