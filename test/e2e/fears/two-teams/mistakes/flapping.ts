import { newAccount } from '../../../support/world.ts'
import { again, annotate, facilitator, type Mistake, part, pool } from './mistake.ts'
import { absent } from './pods.ts'
import { DATABASE, SPONSOR, secret } from './secrets.ts'

/**
 * What a team changes again and again. The operator then holds its object back for a while, so that the mistakes of the
 * other tables come first.
 */
export const flappingMistakes: readonly Mistake[] = [
  {
    name: 'the image flaps every second',
    apply: (team) =>
      again(6, 1_000, (at) => team.change({ image: { ...absent, tag: `t${at % 2}` } })),
  },
  {
    name: 'the log level flaps five times a second',
    apply: (team) => again(20, 200, (at) => team.change({ logLevel: at % 2 ? 'Debug' : 'Trace' })),
  },
  {
    name: 'restartedAt changes ten times a second',
    apply: (team) =>
      again(30, 100, (at) =>
        annotate(team, 'Facilitator', facilitator, { 'x402.svc.dev/restartedAt': String(at) }),
      ),
  },
  {
    name: 'from none to nine pods and back, eight times',
    apply: (team) =>
      again(8, 500, (at) =>
        team.patch('Facilitator', facilitator, { spec: { replicas: at % 2 ? 0 : 9 } }, '/scale'),
      ),
  },
  {
    name: 'the autoscaler and a hand disagree',
    apply: async (team) => {
      await team.change({ autoscale: { minReplicas: 3, maxReplicas: 4 } })
      await again(10, 200, (at) =>
        team.patch('Facilitator', facilitator, { spec: { replicas: at % 5 } }, '/scale'),
      )
    },
  },
  {
    name: 'the Secret of the database has another value ten times a second',
    apply: (team) =>
      again(25, 100, (at) =>
        team.apply(secret(DATABASE, { url: `postgres://u${at}:p@db${at}.infra/x402` })),
      ),
  },
  {
    name: 'a pool that rotates to a sponsor without XLM, and back',
    apply: async (team) => {
      await team.apply(secret('empty-sponsor', { secret: newAccount().secret }))
      await again(4, 500, (at) =>
        team.patch('ChannelPool', pool, {
          spec: { sponsor: { secretRef: { name: at % 2 ? SPONSOR : 'empty-sponsor' } } },
        }),
      )
    },
  },
  {
    name: 'children are changed by hand, again and again',
    apply: (team) =>
      again(20, 200, async (at) => {
        await team.patch('Deployment', part, {
          spec: { replicas: at % 4, template: { metadata: { labels: { by: `hand-${at}` } } } },
        })
        await team.patch('Service', part, { spec: { selector: { app: `other-${at}` } } })
      }),
  },
  {
    name: 'all children are deleted at once, three times',
    apply: (team) => again(3, 1_000, () => team.deleteChildren()),
  },
  {
    name: 'one Facilitator created and deleted, twenty times',
    apply: (team) =>
      again(20, 150, async () => {
        await team.tryApply(team.facilitator('brief', { replicas: 0 }))
        await team.delete('Facilitator', 'brief')
      }),
  },
  {
    name: 'one pool created and deleted, twenty times',
    apply: (team) =>
      again(20, 150, async () => {
        await team.tryApply(team.pool('brief', { deletionPolicy: 'Retire' }))
        await team.delete('ChannelPool', 'brief')
      }),
  },
  {
    name: 'the pool grows to a thousand channels, and back',
    apply: (team) =>
      again(6, 500, (at) =>
        team.patch('ChannelPool', pool, { spec: { channels: at % 2 ? 16 : 1_000 } }),
      ),
  },
]
