import { describe, expect, test } from 'vitest'
import { channelPoolStatus } from '../../../../../../src/kubernetes/crd/channel-pool/status.ts'
import {
  blockers,
  PoolBlocked,
} from '../../../../../../src/kubernetes/operator/channel-pool/connect/blockers.ts'
import type { PoolResult } from '../../../../../../src/kubernetes/operator/channel-pool/converge/converge.ts'
import {
  conditionsOf,
  conditionsOfBlocker,
} from '../../../../../../src/kubernetes/operator/channel-pool/status/conditions.ts'
import { statusOf } from '../../../../../../src/kubernetes/operator/channel-pool/status/status.ts'
import { asStroops } from '../../../../../../src/platform/core/amounts/stroops.ts'
import { account, channel, noFunds, onLedger, result, upTo, xlm } from '../results.ts'

const hash = 'a'.repeat(64)
const sentences = (of: PoolResult) =>
  Object.fromEntries(
    conditionsOf(of).map(({ type, status, reason, message }) => [
      type,
      `${status} ${reason}: ${message}`,
    ]),
  )

const healthy = {
  Ready: 'True ChannelsReady: 2 channels ready.',
  Progressing: 'False Settled: There is nothing left to do.',
  Degraded: 'False AsSpecified: Nothing differs from the spec.',
  Funded:
    'True SponsorFunded: The sponsor can spend 97 XLM of its 100 XLM; the pool requires 25 XLM.',
  SignerReachable: 'True Seed: The operator signs with the seed of Secret testnet-sponsor.',
  SignerKeyMatches: 'True Seed: The address of the sponsor is that of its seed.',
}

const cannotPay =
  'SponsorCannotPay: 2 channels ready, but nothing can be settled: the sponsor can spend 0 XLM of its 3 XLM, and a settlement requires 0.03 XLM: send 0.1 XLM to GSPONSOR.'

test.each<{ of: string; pass: PoolResult; conditions: Partial<typeof healthy> }>([
  { of: 'a pool that is as its spec says', pass: result(), conditions: {} },
  {
    of: 'a pool that is being created',
    pass: result({
      desired: 30,
      channels: [],
      applied: { kind: 'created', count: 19, authorities: 0, ...noFunds, hash, ledger: 7 },
    }),
    conditions: {
      Ready: 'False ChannelsMissing: 0 of 30 channels are ready.',
      Progressing: 'True Provisioning: 30 channels to add.',
    },
  },
  {
    of: 'a pool that only lacks the settlement authority',
    pass: result({
      hasAuthority: false,
      applied: { kind: 'created', count: 0, authorities: 1, ...noFunds, hash, ledger: 7 },
    }),
    conditions: { Progressing: 'True Provisioning: The settlement authority is to be added.' },
  },
  {
    of: 'a pool that grows',
    pass: result({
      desired: 3,
      channels: [channel(0), channel(1)],
      applied: { kind: 'created', count: 1, authorities: 0, ...noFunds, hash, ledger: 7 },
    }),
    conditions: {
      Ready: 'True ChannelsMissing: 2 of 3 channels are ready.',
      Progressing: 'True Provisioning: 1 channel to add.',
      Degraded: 'True ChannelsMissing: 2 of 3 channels are ready.',
    },
  },
  {
    of: 'a pool whose channels are taken over',
    pass: result({ channels: [], accounts: onLedger(0, 1), applied: { kind: 'storeChanged' } }),
    conditions: {
      Ready: 'False ChannelsMissing: 0 of 2 channels are ready.',
      Progressing:
        'True Adopting: The operator takes over channels that are already on the ledger.',
    },
  },
  {
    of: 'a pool that shrinks while settlements use it',
    pass: result({
      channels: [
        ...upTo(2).map((index) => channel(index)),
        channel(2, { state: 'draining', isLeased: true }),
        channel(3, { state: 'draining' }),
      ],
      applied: { kind: 'merged', count: 1, authorities: 0, ...noFunds, hash, ledger: 7 },
    }),
    conditions: {
      Progressing: 'True Shrinking: 2 channels to remove; 1 of them still in use.',
    },
  },
  {
    of: 'a pool with a quarantined channel',
    pass: result({
      channels: [
        channel(0, { state: 'quarantined', quarantinedBecause: 'it is stuck', isLeased: true }),
        channel(1),
        channel(2),
      ],
    }),
    conditions: {
      Progressing: 'True Shrinking: 1 channel to remove; 1 of them still in use.',
      Degraded:
        'True ChannelsQuarantined: 1 channel cannot be used and is replaced; status.quarantined says why.',
    },
  },
  {
    of: 'a pool that should have no channels',
    pass: result({ desired: 0, channels: [] }),
    conditions: {
      Ready:
        'False Empty: The pool has no channels, so nothing can be settled: raise spec.channels.',
    },
  },
  {
    of: 'a pool whose sponsor has too little XLM',
    pass: result({
      sponsor: account({ address: 'GSPONSOR', balance: xlm(27), sponsoring: 4, sponsored: 0 }),
    }),
    conditions: {
      Degraded:
        'True SponsorLow: The sponsor can spend 24 XLM of its 27 XLM, less than the required 25 XLM of spec.minSponsorBalanceXlm: send 1 XLM to GSPONSOR.',
      Funded:
        'False SponsorLow: The sponsor can spend 24 XLM of its 27 XLM, less than the required 25 XLM of spec.minSponsorBalanceXlm: send 1 XLM to GSPONSOR.',
    },
  },
  {
    of: 'a pool with channels whose sponsor can pay for no settlement',
    pass: result({
      sponsor: account({ address: 'GSPONSOR', balance: xlm(3), sponsoring: 4, sponsored: 0 }),
      minBalance: asStroops(0n),
    }),
    conditions: {
      Ready: `False ${cannotPay}`,
      Degraded: `True ${cannotPay}`,
      Funded:
        'False SponsorLow: The sponsor can spend 0 XLM of its 3 XLM, less than the required 0.03 XLM: send 0.1 XLM to GSPONSOR.',
    },
  },
  {
    of: 'a pool of whose Facilitators one requires more than its sponsor can spend: N8, the message names it',
    pass: result({
      minBalance: asStroops(0n),
      users: [
        { name: 'payments', replicas: 2, requires: xlm(5), requiresBy: 'sponsor.reserveXlm' },
        { name: 'shop', replicas: 1, requires: xlm(98), requiresBy: 'fees.maxTxFeeStroops' },
      ],
    }),
    conditions: {
      Degraded:
        'True SponsorLow: The sponsor can spend 97 XLM of its 100 XLM, less than the required 98 XLM of Facilitator shop (fees.maxTxFeeStroops): send 1 XLM to GSPONSOR.',
      Funded:
        'False SponsorLow: The sponsor can spend 97 XLM of its 100 XLM, less than the required 98 XLM of Facilitator shop (fees.maxTxFeeStroops): send 1 XLM to GSPONSOR.',
    },
  },
  {
    of: 'a pool with 19 of 60 channels, whose sponsor cannot pay for more',
    pass: result({
      desired: 60,
      channels: upTo(19).map((index) => channel(index)),
      applied: { kind: 'short', message: 'sponsor GSPONSOR lacks much: send 34.5 XLM to GSPONSOR' },
    }),
    conditions: {
      Ready: 'True ChannelsMissing: 19 of 60 channels are ready.',
      Progressing: 'True Provisioning: 41 channels to add.',
      Degraded: 'True SponsorShort: Sponsor GSPONSOR lacks much: send 34.5 XLM to GSPONSOR.',
      Funded: 'False SponsorShort: Sponsor GSPONSOR lacks much: send 34.5 XLM to GSPONSOR.',
    },
  },
  {
    of: 'a pool in a database that a newer version has extended',
    pass: result({ unknownMigration: '0031-more' }),
    conditions: {
      Degraded:
        'True StoreSchemaNewer: The database has 0031-more, which this operator does not know: upgrade the operator. It goes on managing the pool.',
    },
  },
])('the conditions of $of', ({ pass, conditions }) => {
  expect(sentences(pass)).toEqual({ ...healthy, ...conditions })
})

test.each(Object.keys(blockers) as (keyof typeof blockers)[])(
  'the blocker %s sets the conditions that it decides, and Funded only if it is about the balance',
  (reason) => {
    const conditions = conditionsOfBlocker(new PoolBlocked(reason, 'What to do.'))
    expect(conditions.every((each) => each.reason === reason)).toBe(true)
    expect(conditions.every(({ message }) => message === 'What to do.')).toBe(true)
    expect(conditions.find(({ type }) => type === 'Ready')?.status).not.toBe('True')
    const isAboutBalance = reason === 'SponsorMissing'
    expect(conditions.some(({ type }) => type === 'Funded')).toBe(isAboutBalance)
  },
)

describe('the status', () => {
  const NOW = Date.UTC(2026, 0, 2, 3, 4, 5)

  test('counts channels, and the accounts after the pass', () => {
    const pass = result({
      desired: 3,
      channels: [
        channel(0, { isLeased: true }),
        channel(1, { state: 'quarantined', quarantinedBecause: 'it is stuck' }),
        channel(2, { state: 'retired' }),
        channel(3, { state: 'draining' }),
      ],
      accounts: onLedger(0, 1, 3),
      applied: { kind: 'created', count: 2, authorities: 0, ...noFunds, hash, ledger: 7 },
    })
    expect(statusOf(pass, undefined, NOW)).toEqual({
      summary: { channels: '1/3' },
      channels: { wanted: 3, ready: 1, inUse: 1, draining: 1, quarantined: 1, accounts: 5 },
      sponsor: { address: 'GSPONSOR', balanceXlm: '100', spendableXlm: '97' },
      storeId: 'store-a',
      authority: { onLedger: true },
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

  test('counts the authority among the accounts of a transaction, and while a pool is emptied', () => {
    const transaction = { hash, ledger: 7, authorities: 1, ...noFunds }
    const created = result({
      hasAuthority: false,
      accounts: onLedger(),
      applied: { kind: 'created', count: 2, ...transaction },
    })
    expect(statusOf(created, undefined, NOW)).toMatchObject({
      channels: { accounts: 2 },
      authority: { onLedger: true },
      lastTransaction: { channels: 3 },
    })
    const empty = { desired: 0, channels: [], accounts: onLedger() }
    expect(statusOf(result(empty), undefined, NOW)).toMatchObject({ channels: { accounts: 1 } })
    const merged = result({ ...empty, applied: { kind: 'merged', count: 0, ...transaction } })
    expect(statusOf(merged, undefined, NOW)).toMatchObject({
      channels: { accounts: 0 },
      authority: { onLedger: false },
      lastTransaction: { kind: 'Merge', channels: 1 },
    })
  })

  test('keeps the last transaction until there is another one', () => {
    const before = statusOf(
      result({
        applied: { kind: 'merged', count: 1, authorities: 0, ...noFunds, hash, ledger: 7 },
      }),
      undefined,
      NOW,
    )
    const later = statusOf(result(), { ...before, observedGeneration: 1 }, NOW + 1_000)
    expect(later.lastTransaction).toEqual(before.lastTransaction)
  })

  test.each([
    { of: 'nothing is spent', spent: 0n, sponsoring: 0, hours: undefined },
    { of: 'half an XLM an hour is spent', spent: 5_000_000n, sponsoring: 0, hours: 198 },
    { of: 'reserves lock a part of it', spent: 5_000_000n, sponsoring: 100, hours: 98 },
    { of: 'reserves lock all of it', spent: 5_000_000n, sponsoring: 400, hours: 0 },
    { of: 'almost nothing is spent', spent: 1n, sponsoring: 0, hours: 1_000_000 },
  ])('says how many hours the balance lasts when $of', ({ spent, sponsoring, hours }) => {
    const sponsor = account({ balance: xlm(100), sponsored: 0, sponsoring })
    const pass = result({ sponsor, spentLastHour: asStroops(spent) })
    expect(statusOf(pass, undefined, NOW).sponsor?.runwayHours).toBe(hours)
  })

  test('names at most twenty quarantined channels, and fits the schema', () => {
    const broken = upTo(30).map((index) =>
      channel(index, { state: 'quarantined', quarantinedBecause: 'x'.repeat(300) }),
    )
    const status = statusOf(result({ desired: 1, channels: broken }), undefined, NOW)
    expect(status.channels?.quarantined).toBe(30)
    expect(status.quarantined).toHaveLength(20)
    const shape = { summary: true, channels: true } as const
    expect(channelPoolStatus.pick(shape).safeParse(status).success).toBe(true)
    expect(status.quarantined?.[0]?.because).toHaveLength(256)
  })
})
