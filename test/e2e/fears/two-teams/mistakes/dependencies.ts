import pg from 'pg'
import { newAccount } from '../../../support/world.ts'
import { databaseUrlOf, postgresSuperuser } from '../../../support/world-places.ts'
import type { Team } from '../team.ts'
import { annotate, facilitator, facilitatorSays, type Mistake, pool, poolSays } from './mistake.ts'
import { secret } from './secrets.ts'
import type { HostileServers } from './servers.ts'

const NAME = 'outside'
/** A plain payment costs more. */
const LOW_FEES = { maxTxFeeStroops: '20000', inclusion: { capStroops: '10000' } }
/** Whatever it finds first: what does not answer may also be seen as wrong. */
const NOT_ANSWERED = ['StoreUnreachable', 'StoreSchemaOutdated', 'DatabaseSecretInvalid', 'Failed']
const NOT_HEARD = ['RpcUnreachable', 'RpcWrongNetwork', 'SponsorMissing']

const says = (...reasons: readonly string[]) =>
  ({ kind: 'ChannelPool', name: NAME, reasons }) as const

/** A pool of a new sponsor, with that database and endpoint in place of the team's. */
async function poolOf(team: Team, parts: { readonly url?: string; readonly rpc?: string }) {
  const { url, rpc } = parts
  await team.apply(secret(`${NAME}-sponsor`, { secret: newAccount().secret }))
  if (url !== undefined) await team.apply(secret(`${NAME}-database`, { url }))
  await team.apply(
    team.pool(NAME, {
      sponsor: { secretRef: { name: `${NAME}-sponsor`, key: 'secret' } },
      ...(url !== undefined && {
        database: { secretRef: { name: `${NAME}-database`, key: 'url' } },
      }),
      ...(rpc !== undefined && { rpc: { urls: [rpc], allowHttp: true } }),
    }),
  )
}

const database = (name: string, url: string): Mistake => ({
  name: `a database that ${name}`,
  apply: (team) => poolOf(team, { url }),
  says: says(...NOT_ANSWERED),
})

const endpoint = (name: string, rpc: string): Mistake => ({
  name: `an RPC endpoint that ${name}`,
  apply: (team) => poolOf(team, { rpc }),
  says: says(...NOT_HEARD),
})

/** As the administrator of the database server, and as its owner. */
async function inServer(team: Team, statement: string): Promise<void> {
  const connectionString = databaseUrlOf(team.shop.infra, postgresSuperuser)
  await runIn(connectionString, statement)
}

async function runIn(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

const disconnect = (team: Team) =>
  inServer(
    team,
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${team.namespace}'`,
  )

/** What a team's database and endpoints do. */
export const dependencyMistakes = ({
  databases,
  endpoints,
}: HostileServers): readonly Mistake[] => [
  ...Object.entries(databases).map(([name, url]) => database(name, url)),
  database('refuses connections', 'postgres://a:b@127.0.0.1:1/x402'),
  database('has an address that nothing has', 'postgres://a:b@10.255.255.254:5432/x402'),
  database('has a name that nobody knows', 'postgres://a:b@no-such-host.infra:5432/x402'),
  {
    name: 'the database takes no more connections',
    apply: async (team) => {
      await inServer(team, `alter role "${team.namespace}" connection limit 0`)
      await disconnect(team)
      await team.patch('ChannelPool', pool, { spec: { channels: 18 } })
    },
    says: poolSays('StoreUnreachable', 'Failed'),
    undo: (team) => inServer(team, `alter role "${team.namespace}" connection limit -1`),
  },
  {
    name: 'the database is full, and so takes no write',
    apply: async (team) => {
      await inServer(
        team,
        `alter database "${team.namespace}" set default_transaction_read_only = on`,
      )
      await disconnect(team)
      await team.patch('ChannelPool', pool, { spec: { channels: 18 } })
    },
    undo: async (team) => {
      await inServer(team, `alter database "${team.namespace}" reset default_transaction_read_only`)
      await disconnect(team)
    },
  },
  {
    name: 'the database names a later term of the operator',
    apply: async (team) => {
      await runIn(team.shop.databaseUrl, 'update operator_epochs set epoch = epoch + 1000000')
      await team.patch('ChannelPool', pool, { spec: { channels: 18 } })
    },
    says: poolSays('Fenced'),
    undo: (team) =>
      runIn(team.shop.databaseUrl, 'update operator_epochs set epoch = epoch - 1000000'),
  },
  ...Object.entries(endpoints).map(([name, rpc]) => endpoint(name, rpc)),
  {
    name: 'a network whose pool there is none of',
    apply: (team) => team.change({ networks: [{ channelPool: 'none' }] }),
    says: facilitatorSays('PoolMissing'),
  },
  {
    name: 'two pools of one network',
    apply: async (team) => {
      await poolOf(team, {})
      await team.change({ networks: [{ channelPool: pool }, { channelPool: NAME }] })
    },
    says: facilitatorSays('NetworkTwice'),
  },
  {
    name: 'a fee below the cost of a payment',
    apply: (team) => team.change({ networks: [{ channelPool: pool, fees: LOW_FEES }] }),
    says: facilitatorSays('PreflightFailed', 'PreflightRunning', 'TermsInvalid'),
  },
  {
    name: 'the preflight is skipped for terms on which nothing can be paid',
    apply: async (team) => {
      await annotate(team, 'Facilitator', facilitator, { 'x402.svc.dev/skip-preflight': 'true' })
      await team.change({ networks: [{ channelPool: pool, fees: LOW_FEES }] })
    },
  },
]
