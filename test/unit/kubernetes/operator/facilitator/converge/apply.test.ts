import { expect, test } from 'vitest'
import {
  type ApplyDeps,
  applyPlan,
} from '../../../../../../src/kubernetes/operator/facilitator/converge/apply.ts'
import type { ObservedFacilitator } from '../../../../../../src/kubernetes/operator/facilitator/observe/observe.ts'
import type { FacilitatorPlan } from '../../../../../../src/kubernetes/operator/facilitator/plan/plan.ts'
import { bounded } from '../../../../../../src/kubernetes/operator/watches/bounded.ts'

const desired = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'shop' },
  data: {},
}
const cached = (value: string) =>
  bounded(() => [])({
    ...desired,
    metadata: { ...desired.metadata, uid: 'u', resourceVersion: '7' },
    ...{ data: { value } },
  })

test.each([
  { what: 'a short object', value: 'x', isCompared: true },
  {
    what: 'one that the cache holds without its content',
    value: 'x'.repeat(70_000),
    isCompared: false,
  },
])('$what is compared as the cache has it: $isCompared', async ({ value, isCompared }) => {
  const live = cached(value)
  const compared: unknown[] = []
  const deps = {
    applier: {
      apply: async (request: { live: unknown }) => {
        compared.push(request.live)
        return { result: 'unchanged', object: live }
      },
    },
    foreign: { find: () => undefined },
    second: { isActive: () => false },
  } as unknown as ApplyDeps
  const plan = { independent: [desired], check: [], rollouts: [], scale: [], remove: [] }
  const observed = { find: () => live, owned: [live] }
  const { signal } = new AbortController()
  await applyPlan(
    plan as unknown as FacilitatorPlan,
    observed as unknown as ObservedFacilitator,
    deps,
    signal,
  )
  expect(compared).toEqual([isCompared ? live : undefined])
})
