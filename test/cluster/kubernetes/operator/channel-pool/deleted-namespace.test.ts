/** The deletion of a namespace takes its Secrets before the operator has merged the channels of its pools. */
import { describe, expect, vi } from 'vitest'
import { annotations } from '../../../../../src/kubernetes/crd/names/marks.ts'
import type { Cluster } from '../../../support/cluster.ts'
import { test } from '../../../support/cluster-test.ts'
import { condition, isReady, openPoolWorld, type PoolWorld } from './pool-world.ts'

const patience = { timeout: 45_000, interval: 50 }

/** Its Lease is in another namespace: in one that terminates none can be created. */
const operate = (world: PoolWorld) =>
  world.operate({ POD_NAMESPACE: 'default', LEASE_NAME: world.namespace })

const annotate = (world: PoolWorld, values: Readonly<Record<string, string | null>>) =>
  world.patch({ metadata: { annotations: values } })

const retiring = async (world: PoolWorld) => {
  await world.apply({ channels: 2, deletionPolicy: 'Retire' })
  await world.until(isReady)
}

const isPaused = (world: PoolWorld) =>
  world.until((pool) => expect(condition(pool, 'Progressing')?.reason).toBe('Paused'))

const isGone = (world: PoolWorld) => world.until((pool) => expect(pool).toBeUndefined())

/** The pool waits as long as it is paused; its Secrets do not. */
async function deleteNamespace(cluster: Cluster, world: PoolWorld): Promise<void> {
  await annotate(world, { [annotations.paused]: 'true' })
  await isPaused(world)
  await cluster.kubectl(['delete', 'namespace', world.namespace, '--wait=false'])
  const secrets = `/api/v1/namespaces/${world.namespace}/secrets`
  await vi.waitFor(async () => {
    expect((await cluster.request('GET', secrets)).body['items']).toEqual([])
  }, patience)
  const waits = await world.until((pool) =>
    expect(condition(pool, 'Degraded')?.reason).toBe('DeletionBlocked'),
  )
  expect(condition(waits, 'Degraded')?.message).toContain(annotations.paused)
}

describe('a pool with the policy Retire, in a namespace that is deleted', () => {
  test('merges its channels with the seed of the last pass, although the Secrets are gone', async ({
    cluster,
  }) => {
    await using world = await openPoolWorld(cluster)
    await using _operator = operate(world)
    await retiring(world)
    await deleteNamespace(cluster, world)
    expect(await world.onLedger()).toEqual([0, 1])
    await annotate(world, { [annotations.paused]: null })
    await isGone(world)
    expect(await world.sponsoring()).toBe(0)
  })

  test('ends at once without a remembered seed, and the log says which channels stay', async ({
    cluster,
  }) => {
    await using world = await openPoolWorld(cluster)
    {
      await using before = operate(world)
      await retiring(world)
      await deleteNamespace(cluster, world)
      before.kill('SIGTERM')
      expect(await before.exited).toBe(0)
    }
    await annotate(world, { [annotations.paused]: null })
    await using after = operate(world)
    await isGone(world)
    expect(await world.onLedger()).toEqual([0, 1])
    const said = after.lines.find(({ sponsor }) => sponsor === world.sponsor.address)
    expect(said).toMatchObject({
      accounts: 3,
      msg: expect.stringMatching(
        /^The namespace terminates, and the Secret is gone: 3 accounts \(channels and the settlement authority\) .* stay on the ledger/,
      ),
    })
  })
})

test('a paused pool that is deleted waits, and skip-cleanup lets it go with its channels on the ledger', async ({
  cluster,
}) => {
  await using world = await openPoolWorld(cluster)
  await using _operator = operate(world)
  await retiring(world)
  await annotate(world, { [annotations.paused]: 'true' })
  await isPaused(world)
  await world.delete()
  const waits = await world.until((pool) =>
    expect(condition(pool, 'Degraded')?.reason).toBe('DeletionBlocked'),
  )
  expect(condition(waits, 'Degraded')?.message).toContain(annotations.skipCleanup)
  await annotate(world, { [annotations.skipCleanup]: 'true' })
  await isGone(world)
  expect(await world.onLedger()).toEqual([0, 1])
})
