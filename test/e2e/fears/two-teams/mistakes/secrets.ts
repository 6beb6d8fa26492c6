import { randomBytes } from 'node:crypto'
import { newAccount } from '../../../support/world.ts'
import type { Manifest, Team } from '../team.ts'
import { each, facilitatorSays, type Mistake, pool, poolSays, type Saying } from './mistake.ts'

export const secret = (
  name: string,
  stringData: Readonly<Record<string, string>>,
  labels: Readonly<Record<string, string>> = {},
): Manifest => ({ kind: 'Secret', metadata: { name, labels }, stringData })

export const SPONSOR = 'testnet-sponsor'
export const DATABASE = 'x402-database'
const KIB = 1_024

const databaseUrl = (name: string, url: string, says?: Saying): Mistake => ({
  name,
  apply: (team) => team.apply(secret(DATABASE, { url })),
  ...(says && { says }),
})

/** The Secrets of the other team, as a team has them that has found or copied them. */
export interface Stolen {
  readonly sponsorSecret: string
  readonly databaseUrl: string
}

const says = (name: string, ...reasons: readonly string[]): Saying => ({
  kind: 'ChannelPool',
  name,
  reasons,
})

/** Its own pool with the seed of the other team, in its own database or in that of the other team too. */
async function copied(team: Team, name: string, values: Partial<Stolen>, spec = {}): Promise<void> {
  const { sponsorSecret, databaseUrl: url } = values
  await team.apply(
    secret(`${name}-sponsor`, { secret: sponsorSecret ?? newAccount().secret }),
    ...(url === undefined ? [] : [secret(`${name}-database`, { url })]),
  )
  await team.apply(
    team.pool(name, {
      channels: 3,
      sponsor: { secretRef: { name: `${name}-sponsor`, key: 'secret' } },
      ...(url !== undefined && {
        database: { secretRef: { name: `${name}-database`, key: 'url' } },
      }),
      ...spec,
    }),
  )
}

/** What a team does to its Secrets. */
export const secretMistakes = (stolen: Stolen): readonly Mistake[] => [
  {
    name: 'the Secret of the database is deleted',
    apply: (team) => team.delete('Secret', DATABASE),
    says: poolSays('DatabaseSecretMissing'),
  },
  databaseUrl('the Secret of the database has no URL', 'later', poolSays('DatabaseSecretInvalid')),
  databaseUrl(
    'the URL of the database names a file of the operator',
    'postgres://a:b@postgres.infra/x402?sslrootcert=/var/run/secrets/kubernetes.io/serviceaccount/token',
    poolSays('DatabaseSecretInvalid'),
  ),
  databaseUrl(
    'the URL of the database has a megabyte',
    `postgres://a:b@postgres.infra/${'x'.repeat(900 * KIB)}`,
    poolSays('DatabaseSecretInvalid'),
  ),
  {
    name: 'the Secret of the sponsor is deleted',
    apply: (team) => team.delete('Secret', SPONSOR),
    says: facilitatorSays('PoolDegraded', 'PoolNotReady'),
  },
  {
    name: 'the Secret of the sponsor has no seed',
    apply: (team) => team.apply(secret(SPONSOR, { secret: randomBytes(32).toString('hex') })),
    says: poolSays('SponsorSecretInvalid'),
  },
  {
    name: 'the Secret of the sponsor has another seed',
    apply: (team) => team.apply(secret(SPONSOR, { secret: newAccount().secret })),
    says: poolSays('SponsorChanged'),
  },
  {
    name: "the Secret of the sponsor has the other team's seed",
    apply: (team) => team.apply(secret(SPONSOR, { secret: stolen.sponsorSecret })),
    says: poolSays('SponsorChanged'),
  },
  {
    name: "a pool with the other team's seed",
    apply: (team) => copied(team, 'stolen', { sponsorSecret: stolen.sponsorSecret }),
    says: says('stolen', 'SponsorMarked'),
  },
  {
    name: "a pool with the other team's seed and database",
    apply: (team) => copied(team, 'twin', stolen),
    says: says('twin', 'Conflict'),
  },
  {
    name: "a pool with the other team's seed and database, deleted with Retire",
    apply: (team) => copied(team, 'twin-retire', stolen, { deletionPolicy: 'Retire' }),
    says: says('twin-retire', 'Conflict'),
  },
  {
    name: "a Facilitator and a pool with the other team's seed, database and names",
    apply: async (team) => {
      await team.apply(secret('copy-sponsor', { secret: stolen.sponsorSecret }))
      await team.apply(secret('copy-database', { url: stolen.databaseUrl }))
      const database = { secretRef: { name: 'copy-database', key: 'url' } }
      await team.apply(
        team.pool(`${pool}-copy`, {
          sponsor: { secretRef: { name: 'copy-sponsor', key: 'secret' } },
          database,
        }),
        team.facilitator('copy', {
          database,
          networks: [{ channelPool: `${pool}-copy` }],
          replicas: 1,
        }),
      )
    },
    says: says(`${pool}-copy`, 'Conflict'),
  },
  {
    name: 'sixty Secrets of 200 KB that the operator is told to watch',
    apply: (team) =>
      each(60, (at) =>
        team.tryApply(
          secret(`big-${at}`, { secret: 'x'.repeat(200 * KIB) }, { 'x402.svc.dev/watch': 'true' }),
        ),
      ),
  },
  {
    name: 'API keys that are no digests',
    apply: async (team) => {
      await team.apply(secret('keys', { sha256: 'x'.repeat(500 * KIB) }))
      await team.change({
        networks: [{ channelPool: pool, access: 'ApiKeys' }],
        apiKeys: { digestsSecretRef: { name: 'keys' } },
      })
    },
    says: facilitatorSays('ApiKeysSecretInvalid'),
  },
]
