import type { PoolPlan } from '../../../../../src/payments/channels/converge/plan.ts'
import type { PoolChannel } from '../../../../../src/payments/store/pools/pool-channels.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import type { AccountState } from '../../../../../src/stellar/rpc/rpc.ts'

export const channel = (index: number, overrides: Partial<PoolChannel> = {}): PoolChannel => ({
  index,
  account: `G${index}`,
  state: 'active',
  sequence: 100n,
  isLeased: false,
  heldBy: undefined,
  misses: 0,
  quarantinedBecause: undefined,
  ...overrides,
})

export const account = (overrides: Partial<AccountState> = {}): AccountState => ({
  address: 'G',
  balance: asStroops(0n),
  sequence: 100n,
  subentries: 0,
  sponsoring: 0,
  sponsored: 2,
  sellingLiabilities: asStroops(0n),
  ...overrides,
})

export const onLedger = (...indices: number[]) =>
  new Map(indices.map((index) => [index, account()]))
export const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

/** What the ledger has of the sponsor's authority. */
export const authorityOf = (found: AccountState | undefined) => [
  { address: 'GAUTHORITY', account: found },
]

/** A plan that changes nothing. */
export const nothing: PoolPlan = {
  quarantine: [],
  unclaimed: [],
  adopt: [],
  drain: [],
  activate: [],
  retire: [],
  create: [],
  merge: [],
  createAuthorities: [],
  mergeAuthorities: [],
  setMark: false,
  removeMark: false,
  busy: [],
  ready: [],
}
