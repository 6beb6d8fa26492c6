/**
 * The previous version is installed as its own pages say, upgraded to the next one and to the one after that, and rolled
 * back, while stock clients pay two Facilitators. Each test goes on where the one before ended.
 */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ADDED_FIELD } from '../../tools/e2e-upgrade/additions.ts'
import { type BuiltRelease, builtReleases } from '../../tools/e2e-upgrade/built-releases.ts'
import { StockPage } from '../support/stock/stock-page.ts'
import { diagnose } from './support/diagnose.ts'
import {
  conditionsOf,
  growsByOne,
  migrationsOf,
  patchPool,
  poolOf,
  runsImage,
} from './support/observe.ts'
import { payBoth } from './support/pay-both.ts'
import { openUpgradeWorld, type UpgradeWorld } from './support/upgrade-world.ts'

const { previous, candidate, successor } = builtReleases()
const pages = { install: new StockPage('install.md'), operations: new StockPage('operations.md') }

let world: UpgradeWorld
beforeAll(async () => {
  world = await openUpgradeWorld(
    previous,
    [previous, candidate, successor].map(({ archive }) => archive),
  )
}, 600_000)
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') process.stdout.write(`${await diagnose(world.cluster)}\n`)
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** The documented command that starts with these words, typed in the checkout of a release. */
async function type(
  release: BuiltRelease,
  [page, heading, words]: readonly [StockPage, string, string],
  more = '',
) {
  const lines = page
    .commandsUnder(heading)
    .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => line.startsWith(words))
  expect(lines, `${words} under ${heading}`).toHaveLength(1)
  const shell = await world.shellOf(release)
  // The page's own folder of the older release.
  return shell.type(`${lines[0]?.replace('../stellar-x402-older/', './')} ${more}`)
}

const upgradeTo = (release: BuiltRelease, more = '') =>
  type(release, [pages.install, 'Upgrade', 'helm upgrade'], more)
const rollBack = () => type(candidate, [pages.install, 'Upgrade', 'helm rollback'])

/** The operator manages the pools of both, whatever their schemas. */
async function manages(...shops: readonly ('payments' | 'pinned')[]): Promise<void> {
  for (const shop of shops) await growsByOne(world.cluster, world[shop].namespace)
}

const runs = (shop: 'payments' | 'pinned', { image }: BuiltRelease) =>
  runsImage(world.cluster, world[shop].namespace, image)

const noteOf = async () => (await poolOf(world.cluster, world.payments.namespace)).spec[ADDED_FIELD]
const setNote = () => patchPool(world.cluster, world.payments.namespace, { [ADDED_FIELD]: 'kept?' })

/** The conditions of a Facilitator whose image, which is the operator's own, refuses the schema. */
const refused = {
  StoreReachable: { status: 'False', reason: 'UnsupportedVersion' },
  Degraded: {
    status: 'True',
    reason: 'UnsupportedVersion',
    message: expect.stringContaining('which this version does not know'),
  },
}

let migrated: ReadonlyMap<string, string>

test('an upgrade fails no payment, migrates once, and leaves a pinned Facilitator as it is', async () => {
  const before = await migrationsOf(world.payments.databaseUrl)
  await payBoth(world, `upgrade from ${previous.version} to ${candidate.version}`, async () => {
    await upgradeTo(candidate)
    await runs('payments', candidate)
    await manages('payments', 'pinned')
  })
  await runs('pinned', previous)
  migrated = await migrationsOf(world.payments.databaseUrl)
  expect([...migrated].slice(0, before.size)).toEqual([...before])
  expect(migrated.size).toBeGreaterThan(before.size)
  expect([...(await migrationsOf(world.pinned.databaseUrl)).keys()]).toEqual([...before.keys()])
})

test('a rollback fails no payment, and helm hides the fields that the older definitions lack', async () => {
  await setNote()
  expect(await noteOf()).toBe('kept?')
  await payBoth(world, `rollback from ${candidate.version} to ${previous.version}`, async () => {
    await rollBack()
    await runs('payments', previous)
    await manages('payments', 'pinned')
  })
  expect(await migrationsOf(world.payments.databaseUrl)).toEqual(migrated)
  const { StoreReachable } = await conditionsOf(world.cluster, world.payments.namespace, [
    'facilitators',
    'payments',
  ])
  expect(StoreReachable).toMatchObject({ status: 'True', reason: 'SchemaNewer' })
  expect(await noteOf()).toBeUndefined()
})

test('a second upgrade migrates nothing, and does not bring back what the rollback removed', async () => {
  await payBoth(world, `second upgrade to ${candidate.version}`, async () => {
    await upgradeTo(candidate)
    await runs('payments', candidate)
    await manages('payments', 'pinned')
  })
  expect(await migrationsOf(world.payments.databaseUrl)).toEqual(migrated)
  expect(await noteOf()).toBeUndefined()
  await setNote()
})

test('a release that removes what no running version uses fails no payment, and migrates once', async () => {
  await payBoth(world, `upgrade to ${successor.version}, which contracts`, async () => {
    await upgradeTo(successor)
    await runs('payments', successor)
    await manages('payments', 'pinned')
  })
  migrated = await migrationsOf(world.payments.databaseUrl)
  expect([...migrated.keys()].at(-1)).toContain('-contract-')
})

test('the release before works with the schema that it leaves', async () => {
  await payBoth(world, `rollback to ${candidate.version}`, async () => {
    await rollBack()
    await runs('payments', candidate)
    await manages('payments', 'pinned')
  })
  expect(await migrationsOf(world.payments.databaseUrl)).toEqual(migrated)
})

test('an operator that is too old for the schema replaces no pod, and payments go on', async () => {
  const { cluster, payments } = world
  await payBoth(world, `rollback to ${previous.version}, which the schema refuses`, async () => {
    await type(previous, [pages.operations, 'Roll back', 'helm upgrade'])
    await expect
      .poll(() => conditionsOf(cluster, payments.namespace, ['facilitators', 'payments']), {
        timeout: 180_000,
        interval: 500,
      })
      .toMatchObject(refused)
    await manages('pinned')
  })
  await runs('payments', candidate)
  expect(await migrationsOf(payments.databaseUrl)).toEqual(migrated)
  expect(await noteOf()).toBe('kept?')
})

test('the next upgrade makes all well again, and the pinned Facilitator has never been replaced', async () => {
  const { cluster, payments, pinned } = world
  await payBoth(world, `upgrade from a refused release to ${successor.version}`, async () => {
    await upgradeTo(successor, '--set crds.enabled=true')
    await runs('payments', successor)
    await manages('payments', 'pinned')
  })
  await runs('pinned', previous)
  expect(await noteOf()).toBe('kept?')
  for (const { namespace } of [payments, pinned]) {
    const reasons = async () => {
      const { Ready, Degraded } = await conditionsOf(cluster, namespace, [
        'facilitators',
        'payments',
      ])
      return { Ready: Ready?.reason, Degraded: Degraded?.reason, why: Degraded?.message }
    }
    // Pods of the migration that failed count until Kubernetes has deleted them.
    await expect
      .poll(reasons, { timeout: 120_000, interval: 500 })
      .toMatchObject({ Ready: 'Serving', Degraded: 'AsSpecified' })
  }
})
