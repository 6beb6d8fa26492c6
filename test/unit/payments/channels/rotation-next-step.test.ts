import { describe, expect, test } from 'vitest'
import {
  nextStep,
  type RotationStep,
} from '../../../../src/payments/channels/rotation/next-step.ts'
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

type Given = Parameters<typeof nextStep>[1]
const decide = (
  seen: RotationView,
  given: Partial<Given> = {},
  done: readonly RotationStep['do'][] = [],
) =>
  nextStep(
    seen,
    {
      mode: 'planned',
      sweep: 'merge',
      servesUpto: false,
      inclusionFee: asStroops(100n),
      inclusionFeeCap: asStroops(10_000n),
      ...given,
    },
    new Set(done),
  )

describe('the next step of a rotation', () => {
  test.each<{
    when: string
    seen: RotationView
    given?: Partial<Given>
    done?: readonly RotationStep['do'][]
    expected: Partial<RotationStep>
  }>([
    { when: 'creates the channels first', seen: view({}, none), expected: { do: 'provision' } },
    {
      when: 'creates a channel that the ledger lost',
      seen: view({}, { onLedger: new Set([1]) }),
      expected: { do: 'provision' },
    },
    {
      when: 'creates the authority where upto is served',
      seen: view({}),
      given: { servesUpto: true },
      expected: { do: 'provision' },
    },
    {
      when: 'waits for the replicas of the old sponsor',
      seen: view({ servedBy: ['pod-a'] }),
      expected: { do: 'move', stillOld: ['pod-a'], hasNew: true },
    },
    {
      when: 'waits for a replica of the new sponsor',
      seen: view({}, { servedBy: [] }),
      expected: { do: 'move', stillOld: [], hasNew: false },
    },
    { when: 'then stops leasing', seen: view({}), expected: { do: 'drain' } },
    {
      when: 'waits for a settlement',
      seen: view({ stored: [channel(0, { state: 'draining', isLeased: true })] }),
      expected: { do: 'drain' },
    },
    {
      when: 'merges what is free',
      seen: view({ stored: two({ state: 'draining' }) }),
      expected: { do: 'retire' },
    },
    {
      when: 'merges the rest after a crash, with no replica alive',
      seen: view({ stored: two({ state: 'draining' }), onLedger: new Set([1]) }),
      expected: { do: 'retire' },
    },
    {
      when: 'sweeps what is left',
      seen: view(retired),
      expected: { do: 'sweep', how: 'merge', amount: 50n * XLM - 100n },
    },
    {
      when: 'pays where the account has to stay',
      seen: view({ ...retired, account: account({ sponsoring: 0, subentries: 1 }) }),
      expected: { do: 'sweep', how: 'payment', amount: 50n * XLM - 15_000_000n - 100n },
    },
    {
      when: 'leaves everything with sweep none',
      seen: view(retired),
      given: { sweep: 'none' },
      expected: { do: 'nothing' },
    },
    { when: 'ends', seen: view({ ...retired, account: undefined }), expected: { do: 'nothing' } },
    {
      when: 'does not repeat a retirement that left entries of others',
      seen: view({ ...retired, account: account({ sponsoring: 2 }) }),
      done: ['retire'],
      expected: { do: 'sweep', how: 'payment' },
    },
    {
      when: 'saves the XLM first in an emergency',
      seen: view({ servedBy: ['pod-a'] }, none),
      given: { mode: 'emergency' },
      expected: { do: 'save', amount: 50n * XLM - 3n * XLM - 4n * 10_000n },
    },
    {
      when: 'waits for no replica in an emergency',
      seen: view({ servedBy: ['pod-a'], account: account({ balance: asStroops(3n * XLM) }) }),
      given: { mode: 'emergency' },
      expected: { do: 'drain' },
    },
    {
      when: 'merges in an emergency what an administrator would have to end',
      seen: view({
        stored: two({ state: 'draining', isLeased: true, heldBy: 7n }),
        account: account({ balance: asStroops(3n * XLM) }),
      }),
      given: { mode: 'emergency' },
      expected: { do: 'retire' },
    },
    {
      when: 'tries at last again what the new sponsor could not pay for',
      seen: view({ ...retired, account: undefined }, none),
      given: { mode: 'emergency' },
      done: ['provision'],
      expected: { do: 'provision' },
    },
  ])('$when', ({ seen, given, done, expected }) => {
    expect(decide(seen, given, done)).toMatchObject(expected)
  })
})
