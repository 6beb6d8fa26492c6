import { afterAll, beforeAll, inject, test, vi } from 'vitest'
import { expectNoFailedRequest, expectNothingLost, underLoad } from '../../support/load.ts'
import { startMetricsApi } from '../../support/metrics-api.ts'
import { type OwnShop, openOwnShop } from '../../support/own-shop.ts'
import { names } from '../../support/world-places.ts'
import { steadyPods } from '../shop.ts'

const WAIT = { timeout: 240_000, interval: 250 }
const facilitator = `facilitator/${names.facilitator}`

let world: OwnShop

beforeAll(async () => {
  world = await openOwnShop(inject('world'), 'size')
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('one pod, six, and two again: no request fails', async () => {
  const row = await underLoad(world, 'Scaled from 2 pods to 1, 6 and 2', async () => {
    for (const replicas of [1, 6, 2]) {
      await kubectl(`scale ${facilitator} --replicas=${replicas}`)
      await vi.waitUntil(async () => (await steadyPods(world)) === replicas, WAIT)
    }
    return '`kubectl scale facilitator/payments --replicas`'
  })

  expectNothingLost(row)
  expectNoFailedRequest(row)
})

test('the autoscaler adds pods under load, and removes them afterwards: no request fails', async () => {
  await using metrics = await startMetricsApi(world)
  const autoscale = {
    minReplicas: 2,
    maxReplicas: 4,
    targetCpuPercent: 70,
    behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
  }

  const row = await underLoad(world, 'Autoscaled from 2 pods to 4 and back', async () => {
    await patch({ autoscale })
    metrics.report('200m')
    await vi.waitUntil(async () => (await steadyPods(world)) === 4, WAIT)
    metrics.report('10m')
    await vi.waitUntil(async () => (await steadyPods(world)) === 2, WAIT)
    return 'the metrics API reports twice the requested CPU for each pod, then a tenth of it'
  })

  expectNothingLost(row)
  expectNoFailedRequest(row)
})

const kubectl = (command: string): Promise<string> =>
  world.cluster.kubectl(['-n', world.shop, ...command.split(' ')])

async function patch(spec: object): Promise<void> {
  const change = JSON.stringify({ spec })
  await world.cluster.kubectl([
    ...['-n', world.shop, 'patch', facilitator, '--type=merge', '-p', change],
  ])
}
