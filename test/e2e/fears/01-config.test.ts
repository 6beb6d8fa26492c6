import { afterAll, beforeAll, inject, test } from 'vitest'
import { expectNoFailedRequest, expectNothingLost, underLoad } from '../support/load.ts'
import { openWorld, type World } from '../support/world.ts'
import { patchFacilitator, replacingPods } from './shop.ts'

let world: World

beforeAll(async () => {
  world = await openWorld(inject('world'))
})
afterAll(() => world.ready())

test('a setting changes: no request fails while the pods that read it are replaced', async () => {
  const row = await underLoad(world, 'Config change', async () => {
    const change = { spec: { logLevel: 'Debug' } }
    const count = await replacingPods(world, () => patchFacilitator(world, change))
    return `\`spec.logLevel\`: ${count} pods replaced`
  })

  expectNothingLost(row)
  expectNoFailedRequest(row)
})
