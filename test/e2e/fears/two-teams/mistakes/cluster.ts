import { newAccount } from '../../../support/world.ts'
import { pathOf } from '../kinds.ts'
import type { Team } from '../team.ts'
import {
  again,
  annotate,
  each,
  facilitator,
  facilitatorSays,
  type Mistake,
  part,
  pool,
} from './mistake.ts'
import type { Neighbour } from './objects.ts'
import { secret } from './secrets.ts'

const SPARE_XLM = 60
const HUNDRED = 100

/** A pool that serves, of a sponsor of its own, whose channels are merged when it is deleted. */
async function spare(team: Team): Promise<void> {
  const { address, secret: seed } = newAccount()
  const funded = `${team.shop.rpcUrl}/faucet?addr=${address}&asset=XLM&amount=${SPARE_XLM}`
  if (!(await fetch(funded)).ok) throw new Error('the faucet refused a sponsor')
  await team.apply(
    secret('spare-sponsor', { secret: seed }),
    team.pool('spare', {
      channels: 2,
      deletionPolicy: 'Retire',
      sponsor: { secretRef: { name: 'spare-sponsor', key: 'secret' } },
    }),
    team.facilitator('spare', { replicas: 0, networks: [{ channelPool: 'spare' }] }),
  )
}

const quota = (name: string, hard: Readonly<Record<string, string>>): Mistake => ({
  name,
  apply: async (team) => {
    await team.given({ kind: 'ResourceQuota', metadata: { name: 'tight' }, spec: { hard } })
    await again(3, 300, (at) =>
      annotate(team, 'Facilitator', facilitator, { 'x402.svc.dev/restartedAt': `${name} ${at}` }),
    )
    await team.delete('Deployment', part)
  },
  says: facilitatorSays(
    'ChildRejected',
    'Forbidden',
    'PodsFailing',
    'ReplicasNotReady',
    'ServiceMissing',
  ),
})

/** A team that uses up what all share, or reaches for what is not its own. */
export const clusterMistakes = (neighbour: Neighbour): readonly Mistake[] => [
  {
    name: 'a hundred Facilitators at once',
    apply: (team) =>
      each(HUNDRED, (at) =>
        team.tryApply(
          team.facilitator(`many-${at}`, { replicas: 0, logLevel: at % 2 ? 'Debug' : 'Info' }),
        ),
      ),
    says: { kind: 'Facilitator', name: 'many-99', reasons: ['ScaledToZero'] },
  },
  {
    name: 'a hundred Facilitators without a database',
    apply: (team) =>
      each(HUNDRED, (at) =>
        team.tryApply(
          team.facilitator(`none-${at}`, { database: { secretRef: { name: 'none' } } }),
        ),
      ),
    says: { kind: 'Facilitator', name: 'none-99', reasons: ['DatabaseSecretMissing'] },
  },
  {
    name: 'a hundred pools that name one sponsor',
    apply: (team) => each(HUNDRED, (at) => team.tryApply(team.pool(`same-${at}`))),
    says: { kind: 'ChannelPool', name: 'same-99', reasons: ['Conflict'] },
  },
  {
    name: 'the pool is deleted while it is in use',
    apply: (team) => team.delete('ChannelPool', pool),
    says: facilitatorSays('PoolMissing'),
  },
  {
    name: 'a pool with Retire is deleted while a Facilitator names it',
    apply: async (team) => {
      await spare(team)
      await team.delete('ChannelPool', 'spare')
    },
    says: { kind: 'ChannelPool', name: 'spare', reasons: ['DeletionBlocked'] },
  },
  {
    name: 'a pool that keeps a balance that nobody has',
    apply: (team) => team.patch('ChannelPool', pool, { spec: { minSponsorBalanceXlm: '1000000' } }),
    says: { kind: 'ChannelPool', name: pool, reasons: ['SponsorLow'] },
  },
  quota('a quota without pods', { pods: '0' }),
  quota('a quota without Deployments and Services', {
    'count/deployments.apps': '0',
    services: '0',
  }),
  {
    name: 'limits that no pod meets',
    apply: async (team) => {
      await team.given({
        kind: 'LimitRange',
        metadata: { name: 'tight' },
        spec: { limits: [{ type: 'Container', max: { memory: '1Mi' } }] },
      })
      await team.delete('Deployment', part)
    },
    says: facilitatorSays('PodsFailing', 'ReplicasNotReady', 'ServiceMissing'),
  },
  {
    name: 'a policy that cuts every connection',
    apply: (team) =>
      team.apply({
        kind: 'NetworkPolicy',
        metadata: { name: 'cut' },
        spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
      }),
  },
  {
    name: 'its own policies allow nothing any more, by hand',
    apply: (team) =>
      again(10, 200, () =>
        team.patch('NetworkPolicy', part, { spec: { ingress: [], egress: [] } }),
      ),
  },
  {
    name: "it reaches for the other team's objects, which the API server refuses",
    apply: async (team) => {
      const theirs = (kind: Parameters<typeof pathOf>[0], name: string) =>
        pathOf(kind, neighbour.namespace, name)
      const attempts = [
        ['DELETE', theirs('Facilitator', facilitator)],
        ['DELETE', theirs('ChannelPool', pool)],
        ['DELETE', theirs('Deployment', part)],
        ['GET', theirs('Secret', 'testnet-sponsor')],
        ['GET', '/api/v1/namespaces/x402-system/secrets'],
        ['DELETE', '/api/v1/namespaces/x402-system/pods'],
      ] as const
      for (const [method, path] of attempts) {
        const { status, text } = await team.request(method, path)
        if (status !== 403) throw new Error(`${method} ${path} was answered ${status}: ${text}`)
      }
    },
  },
  {
    name: "events about the other team's objects",
    apply: (team) =>
      each(50, (at) =>
        team.request('POST', `/api/v1/namespaces/${team.namespace}/events`, {
          metadata: { name: `event-${at}` },
          involvedObject: {
            kind: 'Facilitator',
            name: facilitator,
            namespace: neighbour.namespace,
          },
          reason: 'RolloutHeld',
          message: 'held',
          type: 'Warning',
        }),
      ),
  },
]
