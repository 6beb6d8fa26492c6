import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, inject, test } from 'vitest'
import { expectNoFailedRequest, expectNothingLost, underLoad } from '../../support/load.ts'
import { type OwnShop, openOwnShop } from '../../support/own-shop.ts'
import { facilitatorPods, firstPod, patchFacilitator, replacingPods } from '../shop.ts'

const SECOND_TAG = 'second'
const run = promisify(execFile)
let world: OwnShop

beforeAll(async () => {
  world = await openOwnShop(inject('world'), 'rolling-update')
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('rolling update: no request fails while all pods are replaced', async () => {
  const row = await underLoad(world, 'Rolling update', async () => {
    const restartedAt = new Date().toISOString()
    const annotations = { 'x402.svc.dev/restartedAt': restartedAt }
    const count = await replacingPods(world, () =>
      patchFacilitator(world, { metadata: { annotations } }),
    )
    return `\`restartedAt\`: ${count} pods replaced`
  })

  expectNothingLost(row)
  expectNoFailedRequest(row)
})

test('another image: no request fails while it is migrated, checked and rolled out', async () => {
  const image = await secondTag()

  const row = await underLoad(world, 'Another image', async () => {
    const change = { spec: { image } }
    const count = await replacingPods(world, () => patchFacilitator(world, change))
    return `\`spec.image\`: migration, preflight, ${count} pods replaced`
  })

  expectNothingLost(row)
  expectNoFailedRequest(row)
})

test('a setting changes: no request fails while the pods that read it are replaced', async () => {
  const row = await underLoad(world, 'Config change', async () => {
    const change = { spec: { logLevel: 'Debug' } }
    const count = await replacingPods(world, () => patchFacilitator(world, change))
    return `\`spec.logLevel\`: ${count} pods replaced`
  })

  expectNothingLost(row)
  expectNoFailedRequest(row)
})

/** Gives the image of the pods a second tag on both nodes, and returns it as in a Facilitator. */
async function secondTag() {
  const { metadata } = await firstPod(world, world.shop, facilitatorPods)
  const path = '-o=jsonpath={.spec.containers[0].image}'
  const image = await world.cluster.kubectl(['-n', world.shop, 'get', 'pod', metadata.name, path])
  const repository = image.replace(/:[^:/]+$/, '')
  for (const { socket } of world.nodes.nodes) {
    const names = [image, `${repository}:${SECOND_TAG}`]
    await run('ctr', ['-a', socket, '-n', 'k8s.io', 'images', 'tag', ...names])
  }
  return { repository, tag: SECOND_TAG }
}
