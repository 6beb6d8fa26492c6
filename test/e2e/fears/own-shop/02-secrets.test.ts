import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, inject, test } from 'vitest'
import { expectNothingLost, underLoad } from '../../support/load.ts'
import { type OwnShop, openOwnShop } from '../../support/own-shop.ts'
import { inCluster } from '../../support/world-places.ts'
import { changedSecret, replacingPods } from '../shop.ts'

let world: OwnShop

beforeAll(async () => {
  world = await openOwnShop(inject('world'), 'secrets')
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('the password of the database changes: nothing is lost while the pods get the new one', async () => {
  const first = new URL(world.databaseUrl)
  const second = new URL(first)
  second.password = randomBytes(12).toString('hex')

  const row = await underLoad(world, 'Database password', async () => {
    const count = await replacingPods(world, () => changePassword(first, second))
    return `\`alter role\`, then the URL in the Secret: ${count} pods replaced`
  })

  expectNothingLost(row)
})

/** As docs/operations.md says: in Postgres first, then in the Secret. */
async function changePassword(from: URL, to: URL): Promise<void> {
  const client = new pg.Client({ connectionString: from.href })
  await client.connect()
  try {
    await client.query(`alter role current_user password '${to.password}'`)
  } finally {
    await client.end()
  }
  await changedSecret(world, 'x402-database', { url: inCluster(to.href, world.infra) })
}
