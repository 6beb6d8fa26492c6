import { describe, expect, test } from 'vitest'
import { channelPoolStatus } from '../../../../src/api/channel-pool-status.ts'
import { asStroops } from '../../../../src/core/stroops.ts'
import { figuresOf } from '../../../../src/operator/channel-pool/figures.ts'
import { judgePool } from '../../../../src/operator/channel-pool/judge.ts'
import type { PoolObservation } from '../../../../src/operator/channel-pool/observation.ts'
import {
  conditionsOfObstacle,
  Obstacle,
  type ObstacleReason,
  obstacles,
} from '../../../../src/operator/channel-pool/obstacles.ts'
import { account, channel, observation, onLedger, upTo, xlm } from './observations.ts'

const hash = 'a'.repeat(64)
const told = (seen: PoolObservation) =>
  Object.fromEntries(
    judgePool(seen).map(({ type, status, reason, message }) => [
      type,
      `${status} ${reason}: ${message}`,
    ]),
  )

const well = {
  Ready: 'True ChannelsReady: 2 channels ready.',
  Progressing: 'False Settled: There is nothing left to do.',
  Degraded: 'False AsSpecified: Nothing differs from the spec.',
  Funded: 'True SponsorFunded: The sponsor has 100 XLM, at least 25 XLM are asked for.',
}

test.each<{ of: string; seen: PoolObservation; conditions: Partial<typeof well> }>([
  { of: 'a pool as it shall be', seen: observation(), conditions: {} },
  {
    of: 'one that is being made',
    seen: observation({
      wanted: 30,
      channels: [],
      carried: { kind: 'created', count: 19, hash, ledger: 7 },
    }),
    conditions: {
      Ready: 'False ChannelsMissing: 0 of 30 channels are ready.',
      Progressing: 'True Provisioning: 30 channels to go.',
    },
  },
  {
    of: 'one that grows',
    seen: observation({
      wanted: 3,
      channels: [channel(0), channel(1)],
      carried: { kind: 'created', count: 1, hash, ledger: 7 },
    }),
    conditions: {
      Ready: 'False ChannelsMissing: 2 of 3 channels are ready.',
      Progressing: 'True Provisioning: 1 channel to go.',
      Degraded: 'True ChannelsMissing: 2 of 3 channels are ready.',
    },
  },
  {
    of: 'one that is taken over',
    seen: observation({ channels: [], accounts: onLedger(0, 1), carried: { kind: 'stored' } }),
    conditions: {
      Ready: 'False ChannelsMissing: 0 of 2 channels are ready.',
      Progressing: 'True Adopting: Channels that are on the ledger already are taken over.',
    },
  },
  {
    of: 'one that shrinks while settlements go on',
    seen: observation({
      channels: [
        ...upTo(2).map((index) => channel(index)),
        channel(2, { state: 'draining', isLeased: true }),
        channel(3, { state: 'draining' }),
      ],
      carried: { kind: 'merged', count: 1, hash, ledger: 7 },
    }),
    conditions: {
      Progressing: 'True Shrinking: 2 channels to go, 1 of them while settlements use them.',
    },
  },
  {
    of: 'one with a channel that is of no use',
    seen: observation({
      channels: [
        channel(0, { state: 'quarantined', quarantinedBecause: 'it is stuck', isLeased: true }),
        channel(1),
        channel(2),
      ],
    }),
    conditions: {
      Progressing: 'True Shrinking: 1 channel to go, 1 of them while settlements use them.',
      Degraded:
        'True ChannelsQuarantined: 1 channel cannot be used and is replaced; status.quarantined says why.',
    },
  },
  {
    of: 'one of which nothing is wanted',
    seen: observation({ wanted: 0, channels: [] }),
    conditions: {
      Ready: 'False Empty: No channels are wanted, so nothing can be settled: raise spec.channels.',
    },
  },
  {
    of: 'one whose sponsor runs out',
    seen: observation({ sponsor: account({ address: 'GSPONSOR', balance: xlm(24) }) }),
    conditions: {
      Degraded:
        'True SponsorLow: The sponsor has 24 XLM, less than the 25 XLM asked for: send XLM to GSPONSOR.',
      Funded:
        'False SponsorLow: The sponsor has 24 XLM, less than the 25 XLM asked for: send XLM to GSPONSOR.',
    },
  },
])('the conditions of $of', ({ seen, conditions }) => {
  expect(told(seen)).toEqual({ ...well, ...conditions })
})

test.each(Object.keys(obstacles) as ObstacleReason[])(
  'an obstacle, %s, is told by conditions, and leaves a figure that it says nothing about',
  (reason) => {
    const conditions = conditionsOfObstacle(new Obstacle(reason, 'What to do.'))
    expect(conditions.every((each) => each.reason === reason)).toBe(true)
    expect(conditions.every(({ message }) => message === 'What to do.')).toBe(true)
    expect(conditions.find(({ type }) => type === 'Ready')?.status).not.toBe('True')
    const isAboutMoney = reason.startsWith('SponsorM') && reason.endsWith('Missing')
    const tellsFunds = isAboutMoney || reason === 'SponsorShort'
    expect(conditions.some(({ type }) => type === 'Funded')).toBe(tellsFunds)
  },
)

describe('the figures', () => {
  const NOW = Date.UTC(2026, 0, 2, 3, 4, 5)

  test('count channels, and what the ledger has once the step is done', () => {
    const seen = observation({
      wanted: 3,
      channels: [
        channel(0, { isLeased: true }),
        channel(1, { state: 'quarantined', quarantinedBecause: 'it is stuck' }),
        channel(2, { state: 'retired' }),
        channel(3, { state: 'draining' }),
      ],
      accounts: onLedger(0, 1, 3),
      carried: { kind: 'created', count: 2, hash, ledger: 7 },
    })
    expect(figuresOf(seen, undefined, NOW)).toEqual({
      summary: { channels: '1/3' },
      channels: { wanted: 3, ready: 1, inUse: 1, draining: 1, quarantined: 1, accounts: 5 },
      sponsor: { address: 'GSPONSOR', balanceXlm: '100' },
      quarantined: [{ index: 1, account: 'G1', because: 'it is stuck' }],
      lastTransaction: {
        kind: 'Create',
        hash,
        channels: 2,
        ledger: 7,
        at: '2026-01-02T03:04:05.000Z',
      },
    })
  })

  test('keep the last transaction until there is another one', () => {
    const before = figuresOf(
      observation({ carried: { kind: 'merged', count: 1, hash, ledger: 7 } }),
      undefined,
      NOW,
    )
    const later = figuresOf(observation(), { ...before, observedGeneration: 1 }, NOW + 1_000)
    expect(later.lastTransaction).toEqual(before.lastTransaction)
  })

  test.each([
    { of: 'nothing is spent', spent: 0n, sponsoring: 0, hours: undefined },
    { of: 'half of an XLM an hour is spent', spent: 5_000_000n, sponsoring: 0, hours: 198 },
    { of: 'reserves lock a part', spent: 5_000_000n, sponsoring: 100, hours: 98 },
    { of: 'reserves lock everything', spent: 5_000_000n, sponsoring: 400, hours: 0 },
    { of: 'next to nothing is spent', spent: 1n, sponsoring: 0, hours: 1_000_000 },
  ])('tell how many hours the balance lasts when $of', ({ spent, sponsoring, hours }) => {
    const sponsor = account({ balance: xlm(100), sponsored: 0, sponsoring })
    const seen = observation({ sponsor, spentLastHour: asStroops(spent) })
    expect(figuresOf(seen, undefined, NOW).sponsor?.runwayHours).toBe(hours)
  })

  test('name no more than twenty channels in quarantine, and fit the schema', () => {
    const broken = upTo(30).map((index) =>
      channel(index, { state: 'quarantined', quarantinedBecause: 'x'.repeat(300) }),
    )
    const figures = figuresOf(observation({ wanted: 1, channels: broken }), undefined, NOW)
    expect(figures.channels?.quarantined).toBe(30)
    expect(figures.quarantined).toHaveLength(20)
    const shape = { summary: true, channels: true } as const
    expect(channelPoolStatus.pick(shape).safeParse(figures).success).toBe(true)
    expect(figures.quarantined?.[0]?.because).toHaveLength(256)
  })
})
