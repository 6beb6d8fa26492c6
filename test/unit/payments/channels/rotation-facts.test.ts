import { expect, test } from 'vitest'
import {
  type DoneHere,
  rotationFacts,
  type Sending,
  sendingOf,
} from '../../../../src/payments/channels/rotation/facts.ts'
import type { RotationPhase } from '../../../../src/payments/channels/rotation/phase-names.ts'
import { advanced, type RotationState } from '../../../../src/payments/channels/rotation/phases.ts'
import { problemsOf } from '../../../../src/payments/channels/rotation/refusals.ts'
import type { RotationView, SponsorView } from '../../../../src/payments/channels/rotation/view.ts'
import type { PoolChannel } from '../../../../src/payments/store/pools/pool-channels.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import type { AccountState } from '../../../../src/stellar/rpc/rpc.ts'

const XLM = 10_000_000n

const account = (changes: Partial<AccountState> = {}): AccountState => ({
  address: 'G',
  balance: asStroops(50n * XLM),
  sequence: 1n,
  subentries: 0,
  sponsoring: 4,
  sponsored: 0,
  sellingLiabilities: asStroops(0n),
  ...changes,
})

const channel = (index: number, changes: Partial<PoolChannel> = {}): PoolChannel => ({
  index,
  account: `C${index}`,
  state: 'active',
  sequence: 1n,
  isLeased: false,
  heldBy: undefined,
  misses: 0,
  quarantinedBecause: undefined,
  ...changes,
})

const two = (changes: Partial<PoolChannel> = {}) => [channel(0, changes), channel(1, changes)]

const sponsor = (address: string, changes: Partial<SponsorView> = {}): SponsorView => ({
  address,
  account: account({ address }),
  mark: undefined,
  stored: two(),
  onLedger: new Set([0, 1]),
  authority: { address: `A${address}`, isOnLedger: false },
  pool: undefined,
  servedBy: [],
  ...changes,
})

const none = { stored: [], onLedger: new Set<number>() }
const retired = {
  stored: two({ state: 'retired' }),
  onLedger: new Set<number>(),
  account: account({ sponsoring: 0 }),
}

const view = (from: Partial<SponsorView>, to: Partial<SponsorView> = {}): RotationView => ({
  from: sponsor('GOLD', from),
  to: sponsor('GNEW', { servedBy: ['pod-b'], ...to }),
  wanted: 2,
  promised: asStroops(0n),
  toIsAlso: undefined,
  storeId: 'store',
  others: [],
  ledger: 10,
  readAt: 0,
})

type Given = Parameters<typeof rotationFacts>[2]

/** The phase in which svc rotate stays with what it sees, as long as nothing changes. */
function stays(seen: RotationView, given: Partial<Given>, done: Partial<DoneHere>) {
  const options: Given = {
    mode: 'planned',
    sweep: 'merge',
    servesUpto: false,
    inclusionFee: asStroops(100n),
    inclusionFeeCap: asStroops(10_000n),
    ...given,
  }
  const begin: RotationState = {
    phase: 'Checking',
    mode: options.mode === 'planned' ? 'Planned' : 'Emergency',
    step: 1,
    aborting: false,
    serving: 'From',
    holdsSecrets: false,
    channelsMoved: '0/0',
    since: '2026-01-01T00:00:00.000Z',
    message: '',
    blocked: false,
  }
  const own = { isShort: false, isRetired: false, isSwept: false, ...done }
  for (let state = begin; ; ) {
    const next = advanced(state, rotationFacts(state, seen, options, own))
    if (next.step === state.step) {
      const { phase, message: says } = next
      return { phase, says, sends: sendingOf(next, seen, options) }
    }
    state = next
  }
}

test.each([
  {
    mode: 'planned',
    says: ['the outcome of settlement 7 is unknown: end it with svc settlements resolve'],
  },
  { mode: 'emergency', says: [] },
] as const)(
  'a settlement that an administrator has to end stops svc rotate --mode $mode: $says',
  ({ mode, says }) => {
    const seen = view({ stored: [channel(0), channel(1, { heldBy: 7n })] })
    expect(problemsOf(seen, { network: 'stellar:testnet', mode })).toEqual(says)
  },
)

const toMerge = two({ state: 'draining' })

test.each<{
  when: string
  seen: RotationView
  given?: Partial<Given>
  done?: Partial<DoneHere>
  phase: RotationPhase
  says?: string
  sends?: Sending
}>([
  { when: 'creates the channels first', seen: view({}, none), phase: 'Provisioning' },
  {
    when: 'creates a channel that the ledger lost',
    seen: view({}, { onLedger: new Set([1]) }),
    phase: 'Provisioning',
    says: '1 of 2 channels of the new sponsor are ready.',
  },
  {
    when: 'creates the authority where upto is served',
    seen: view({}),
    given: { servesUpto: true },
    phase: 'Provisioning',
  },
  {
    when: 'waits for the replicas of the old sponsor',
    seen: view({ servedBy: ['pod-a'] }),
    phase: 'Moving',
    says: 'pod-a still serves the other sponsor, by its heartbeats in the store: restart one replica after the other with the new seed.',
  },
  {
    when: 'waits for a replica of the new sponsor',
    seen: view({}, { servedBy: [] }),
    phase: 'Moving',
    says: 'No replica serves the new sponsor yet: start one with the new seed.',
  },
  { when: 'then stops leasing', seen: view({}), phase: 'Retiring', says: '2 accounts to merge.' },
  {
    when: 'waits for a settlement',
    seen: view({ stored: [channel(0, { state: 'draining', isLeased: true })] }),
    phase: 'Retiring',
    says: '2 accounts to merge; settlements still use 1 channel.',
  },
  { when: 'merges what is free', seen: view({ stored: toMerge }), phase: 'Retiring' },
  {
    when: 'merges the rest after a crash, with no replica alive',
    seen: view({ stored: toMerge, onLedger: new Set([1]) }),
    phase: 'Retiring',
    says: '1 account to merge.',
  },
  {
    when: 'sweeps what is left',
    seen: view(retired),
    phase: 'Sweeping',
    sends: { do: 'sweep', how: 'merge', amount: 50n * XLM - 100n },
  },
  {
    when: 'pays where the account has to stay',
    seen: view({ ...retired, account: account({ sponsoring: 0, subentries: 1 }) }),
    phase: 'Sweeping',
    sends: { do: 'sweep', how: 'payment', amount: 50n * XLM - 15_000_000n - 100n },
  },
  {
    when: 'leaves everything with sweep none',
    seen: view(retired),
    given: { sweep: 'none' },
    phase: 'Done',
  },
  { when: 'ends', seen: view({ ...retired, account: undefined }), phase: 'Done' },
  {
    when: 'does not repeat a retirement that left entries of others',
    seen: view({ ...retired, account: account({ sponsoring: 2 }) }),
    done: { isRetired: true },
    phase: 'Sweeping',
    sends: { do: 'sweep', how: 'payment', amount: 50n * XLM - 2n * XLM - 100n },
  },
  {
    when: 'saves the XLM first in an emergency',
    seen: view({ servedBy: ['pod-a'] }, none),
    given: { mode: 'emergency' },
    phase: 'Rescuing',
    sends: { do: 'save', amount: 50n * XLM - 3n * XLM - 4n * 10_000n },
  },
  {
    when: 'waits for no replica in an emergency',
    seen: view({ servedBy: ['pod-a'], account: account({ balance: asStroops(3n * XLM) }) }),
    given: { mode: 'emergency' },
    phase: 'Retiring',
  },
  {
    when: 'waits in an emergency for nothing that an administrator would have to end',
    seen: view({
      stored: two({ state: 'draining', isLeased: true, heldBy: 7n }),
      account: account({ balance: asStroops(3n * XLM) }),
    }),
    given: { mode: 'emergency' },
    phase: 'Retiring',
    says: '2 accounts to merge.',
  },
  {
    when: 'goes on in an emergency although the new sponsor cannot pay for its channels yet',
    seen: view({ ...retired, account: undefined }, none),
    given: { mode: 'emergency' },
    done: { isShort: true },
    phase: 'Done',
  },
])('svc rotate $when', ({ seen, given = {}, done = {}, phase, says, sends }) => {
  const found = stays(seen, given, done)
  expect(found).toMatchObject({ phase, sends })
  if (says !== undefined) expect(found.says).toBe(says)
})
