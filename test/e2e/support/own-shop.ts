/**
 * A shop of one test file: a facilitator with a pool, a sponsor and a database of its own, in a namespace of its own.
 * What is done to it disturbs no other shop, so such files run at the same time.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { openShell } from './shell.ts'
import { newAccount, openWorld, payXlm, type World, type WorldAt } from './world.ts'
import { createFacilitator } from './world-install.ts'
import { databaseUrlOf, inCluster, postgresSuperuser } from './world-places.ts'

/**
 * Three payments a second on ledgers of 1 s need five by docs/production.md. On a busy machine a settlement takes longer
 * than a ledger, and a replica that is killed holds its channels until others take over.
 */
const CHANNELS = 16
/** Reserves of some thirty channels, and the fees of a file. */
const SPONSOR_XLM = 500

export type OwnShop = World & AsyncDisposable

/** @param name of the namespace, the database and its owner */
export async function openOwnShop(at: WorldAt, name: string): Promise<OwnShop> {
  const sponsor = newAccount()
  const [databaseUrl] = await Promise.all([
    createDatabase(name),
    payXlm(sponsor.address, SPONSOR_XLM),
  ])
  const { cluster } = await openWorld(at)
  const { folder } = at
  const shell = await openShell({ kubeconfigPath: cluster.kubeconfigPath, folder })
  await createFacilitator(shell, {
    folder,
    namespace: name,
    sponsorSecret: sponsor.secret,
    databaseUrl: inCluster(databaseUrl),
    // A fear looks at the facilitator alone.
    facilitator: { catalog: { enabled: false }, explorer: { enabled: false } },
    pool: { channels: CHANNELS },
  })
  const world = await openWorld({ ...at, shop: name, sponsor, databaseUrl })
  await world.ready()
  return {
    ...world,
    [Symbol.asyncDispose]: async () => {
      const all = ['facilitators,channelpools', '--all', '--timeout=120s']
      await cluster.kubectl(['-n', name, 'delete', ...all])
      await cluster.kubectl(['delete', 'namespace', name, '--wait=false'])
    },
  }
}

/** @returns its URL for the test process */
async function createDatabase(name: string): Promise<string> {
  const password = randomBytes(12).toString('hex')
  const client = new pg.Client({ connectionString: databaseUrlOf(postgresSuperuser) })
  await client.connect()
  try {
    await client.query(`create role "${name}" login password '${password}'`)
    await client.query(`create database "${name}" owner "${name}"`)
  } finally {
    await client.end()
  }
  return databaseUrlOf({ user: name, password, database: name })
}
