/**
 * A shop of one test file: a facilitator with a pool, a sponsor and a database of its own, in a namespace of its own.
 * What is done to it disturbs no other shop, so such files run at the same time.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import pg from 'pg'
import { untilReady } from './ready.ts'
import { openShell } from './shell.ts'
import { newAccount, openWorld, payXlm, type World, type WorldAt } from './world.ts'
import { infraObjects, prepareInfra } from './world-infra.ts'
import { createFacilitator } from './world-install.ts'
import {
  database,
  databaseUrlOf,
  type Infra,
  inCluster,
  postgresSuperuser,
} from './world-places.ts'

/**
 * Three payments a second on ledgers of 1 s need five by docs/production.md. On a busy machine a settlement takes longer
 * than a ledger, and a replica that is killed holds its channels until others take over.
 */
const CHANNELS = 16
/** Reserves of some thirty channels, and the fees of a file. */
const SPONSOR_XLM = 500

export type OwnShop = World & AsyncDisposable

/**
 * @param name of the namespace, the database and its owner
 * @param ownInfra is created for the shop. Without it the shop uses that of the first one.
 */
export async function openOwnShop(at: WorldAt, name: string, ownInfra?: Infra): Promise<OwnShop> {
  const first = await openWorld(at)
  const { cluster, folder } = first
  const infra = ownInfra ?? at.infra
  if (ownInfra !== undefined) await startInfra(first, ownInfra)
  const sponsor = newAccount()
  const [databaseUrl] = await Promise.all([
    createDatabase(infra, name),
    payXlm(infra, sponsor.address, SPONSOR_XLM),
  ])
  const shell = await openShell({ kubeconfigPath: cluster.kubeconfigPath, folder })
  await createFacilitator(shell, {
    folder,
    namespace: name,
    sponsorSecret: sponsor.secret,
    infra,
    databaseUrl: inCluster(databaseUrl, infra),
    // A fear looks at the facilitator alone.
    facilitator: { catalog: { enabled: false }, explorer: { enabled: false } },
    pool: { channels: CHANNELS },
  })
  const world = await openWorld({ ...at, shop: name, sponsor, infra, databaseUrl })
  await world.ready()
  return {
    ...world,
    [Symbol.asyncDispose]: async () => {
      const all = ['facilitators,channelpools', '--all', '--timeout=120s']
      await cluster.kubectl(['-n', name, 'delete', ...all])
      const namespaces = ownInfra === undefined ? [name] : [name, ownInfra.namespace]
      await cluster.kubectl(['delete', 'namespace', ...namespaces, '--wait=false'])
    },
  }
}

async function startInfra({ cluster, folder, apply }: World, infra: Infra): Promise<void> {
  const own = join(folder, infra.namespace)
  await prepareInfra(own, infra)
  await apply(infraObjects(own, infra, database))
  await untilReady(cluster, [infra.namespace], [])
}

/** @returns its URL for the test process */
async function createDatabase(infra: Infra, name: string): Promise<string> {
  const password = randomBytes(12).toString('hex')
  const client = new pg.Client({ connectionString: databaseUrlOf(infra, postgresSuperuser) })
  await client.connect()
  try {
    await client.query(`create role "${name}" login password '${password}'`)
    await client.query(`create database "${name}" owner "${name}"`)
  } finally {
    await client.end()
  }
  return databaseUrlOf(infra, { user: name, password, database: name })
}
