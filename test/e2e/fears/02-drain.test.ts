import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { expectNoFailedRequest, expectNothingLost, underLoad } from '../support/load.ts'
import { openWorld, type World } from '../support/world.ts'
import { places } from '../support/world-places.ts'

let world: World

beforeAll(async () => {
  world = await openWorld(inject('world'))
})
afterAll(async () => {
  await world.cluster.kubectl(['uncordon', 'n2'])
  await world.ready()
})

test('a node is drained: its pods move one at a time, and no request fails', async () => {
  const row = await underLoad(world, 'Node drained', async () => {
    await world.cluster.kubectl([
      ...['drain', 'n2', '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=150s'],
    ])
    await world.ready()
    const where = '-o jsonpath={.items[*].spec.nodeName} --field-selector=status.phase=Running'
    expect(await world.shell.type(`kubectl -n ${places.shop} get pods ${where}`)).not.toContain(
      'n2',
    )
    await world.cluster.kubectl(['uncordon', 'n2'])
    return '`kubectl drain n2`: the pods of the shop and the operator move to the other node'
  })

  expectNothingLost(row)
  expectNoFailedRequest(row)
})
