import { afterAll } from 'vitest'
import type { Cluster } from '../../../support/cluster.ts'
import { openPoolWorld, type PoolWorld, type PoolWorldOptions } from './pool-world.ts'

/**
 * A world for each case of a test file, with a namespace, a ledger and a database of its own, and one operator for all: a
 * process starts once. For tests that neither end the operator nor count what it does.
 *
 *   const worldOf = poolWorlds({ scaled: {}, unfunded: { lumens: 0n } })
 *   test('it …', async ({ cluster }) => { const world = await worldOf(cluster, 'scaled') … })
 */
export function poolWorlds<Name extends string>(
  cases: Readonly<Record<Name, PoolWorldOptions>>,
): (cluster: Cluster, name: Name) => Promise<PoolWorld> {
  const opened = new AsyncDisposableStack()
  afterAll(() => opened.disposeAsync())

  const openAll = async (
    cluster: Cluster,
    all: readonly (readonly [string, PoolWorldOptions])[],
  ): Promise<Map<string, PoolWorld>> => {
    const worlds = await Promise.all(
      all.map(async ([name, options]) => {
        const world = opened.use(await openPoolWorld(cluster, options))
        return [name, world] as const
      }),
    )
    const namespaces = worlds.map(([, { namespace }]) => namespace).join(',')
    for (const [, world] of worlds.slice(0, 1)) {
      opened.use(world.operate({ WATCH_NAMESPACES: namespaces }))
    }
    return new Map(worlds)
  }

  let opening: Promise<Map<string, PoolWorld>> | undefined
  return async (cluster, name) => {
    opening ??= openAll(cluster, Object.entries<PoolWorldOptions>(cases))
    const unused = await opening
    // A second try of a test needs a world without the objects of the first one.
    const world = unused.get(name) ?? (await openAll(cluster, [[name, cases[name]]])).get(name)
    unused.delete(name)
    if (!world) throw new Error(`there is no world ${name}`)
    return world
  }
}
