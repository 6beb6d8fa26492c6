import { describe, expect, test } from 'vitest'
import { planFacilitator } from '../../../../../src/kubernetes/operator/facilitator/plan/plan.ts'
import { render } from '../../../../../src/kubernetes/operator/facilitator/render/render.ts'
import { ServerClock } from '../../../../../src/kubernetes/runtime/client/server-clock.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { desiredWith } from '../../operator/facilitator/builders.ts'
import { observedWith } from '../../operator/facilitator/results.ts'
import { sendJson, startLoopback } from '../support/loopback.ts'
import { things } from '../support/objects.ts'

const MINUTE = 60_000

/** The API server's time, and an operator whose wall clock differs by this much. */
async function operatorOff(byMs: number) {
  const clock = new FakeClock()
  const serverMs = clock.now()
  clock.jump(byMs)
  const serverClock = new ServerClock(clock)
  await using server = await startLoopback((_, response) => {
    response.setHeader('date', new Date(serverMs).toUTCString())
    sendJson(response, 200, { metadata: { resourceVersion: '1' }, items: [] })
  })
  await server.client({ clock: systemClock, serverClock }).list(things)
  return { clock, serverMs, serverClock }
}

describe.each([
  ['ahead', 10 * MINUTE],
  ['behind', -10 * MINUTE],
])('an operator whose clock is 10 minutes %s', (_, byMs) => {
  test('takes the time of its API server', async () => {
    const { clock, serverMs, serverClock } = await operatorOff(byMs)
    expect(Math.abs(serverClock.now() - serverMs)).toBeLessThan(2_000)
    await clock.advance(MINUTE)
    // A correction of its own clock changes nothing.
    clock.jump(-byMs)
    expect(Math.abs(serverClock.now() - serverMs - MINUTE)).toBeLessThan(2_000)
  })

  test('retries a failed migration neither at once nor ten minutes late', async () => {
    const { serverMs, serverClock } = await operatorOff(byMs)
    const lastTransitionTime = new Date(serverMs - MINUTE).toISOString()
    const job = { conditions: [{ type: 'Failed', status: 'True', lastTransitionTime }] }
    const observed = { ...observedWith({ job }), now: serverClock.now() }
    const { pools } = observed
    const rendered = render(desiredWith({}, { pools: [...pools.values()] }))
    const plan = planFacilitator(observed, rendered)
    expect(plan.remove).toEqual([])
    expect(plan.retryMs).toBeGreaterThan(50_000)
    expect(plan.retryMs).toBeLessThan(70_000)
  })
})

test('a clock that only differs by the answer on its way is left as it is', () => {
  const clock = new FakeClock()
  const serverClock = new ServerClock(clock)
  const before = serverClock.now()
  serverClock.observe(new Date(before - 1_900).toUTCString())
  serverClock.observe('no date')
  serverClock.observe(undefined)
  expect(serverClock.now()).toBe(before)
})
