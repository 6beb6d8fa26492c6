import { expect, test } from 'vitest'
import { childAnnotations } from '../../../../../../src/kubernetes/crd/names/marks.ts'
import { SecondOperator } from '../../../../../../src/kubernetes/operator/facilitator/converge/second-operator.ts'
import type { KubeObject } from '../../../../../../src/kubernetes/runtime/objects/resource.ts'
import { FakeClock } from '../../../../../support/fake-clock.ts'
import { facilitatorWith } from '../builders.ts'

const owner = facilitatorWith() as KubeObject
const deployment = (hash: string, version: number): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'payments-facilitator',
    uid: 'uid',
    resourceVersion: String(version),
    annotations: { [childAnnotations.desiredHash]: hash },
  },
})

function operator() {
  const clock = new FakeClock()
  const second = new SecondOperator(clock)
  /** Writes, and finds what the other one made of it. */
  const fight = (version: number): boolean => {
    second.note(deployment('ours', version))
    return second.isActive(owner, [deployment('theirs', version + 1)])
  }
  return { clock, second, fight }
}

test("two installations on one namespace do not replace each other's pods for ever", () => {
  const { fight } = operator()
  expect([fight(1), fight(3)]).toEqual([false, true])
})

test('it yields for an hour, then tries again', async () => {
  const { clock, second, fight } = operator()
  fight(1)
  fight(3)
  await clock.advance(3_599_000)
  expect(second.isActive(owner, [])).toBe(true)
  await clock.advance(1_000)
  expect(second.isActive(owner, [])).toBe(false)
  expect([fight(5), fight(7)]).toEqual([false, true])
})

test('its own later write, a cache that is behind, and changes of people are no second operator', () => {
  const { second } = operator()
  for (let version = 10; version < 20; version += 2) {
    second.note(deployment(`ours-${version}`, version))
    const seen = [
      deployment(`ours-${version - 2}`, version - 1),
      deployment(`ours-${version}`, version + 1),
    ]
    for (const object of seen) expect(second.isActive(owner, [object])).toBe(false)
  }
})

test('the one overwrite of a predecessor that ends late is taken back', () => {
  const { second, fight } = operator()
  expect(fight(1)).toBe(false)
  second.note(deployment('ours', 3))
  expect(second.isActive(owner, [deployment('ours', 4)])).toBe(false)
})
