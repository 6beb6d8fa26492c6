import type { PoolResult } from '../../../../../src/kubernetes/operator/channel-pool/converge/converge.ts'
import { planPool } from '../../../../../src/kubernetes/operator/channel-pool/converge/plan.ts'
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
export const xlm = (lumens: number) => asStroops(BigInt(lumens) * 10_000_000n)

const STORE = 'store-a'

/** One pass over a healthy pool, changed by the overrides; the plan follows from them. */
export function result(overrides: Partial<Omit<PoolResult, 'plan'>> = {}): PoolResult {
  const { desired = 2 } = overrides
  const channels = overrides.channels ?? upTo(desired).map((index) => channel(index))
  const accounts = overrides.accounts ?? onLedger(...channels.map(({ index }) => index))
  const authority = 'authority' in overrides ? overrides.authority : account()
  return {
    desired,
    channels,
    accounts,
    // Three XLM of it are locked: two channels, and the account itself.
    sponsor: account({ address: 'GSPONSOR', balance: xlm(100), sponsoring: 4, sponsored: 0 }),
    plan: planPool({ desired, channels, accounts, authority, mark: STORE, storeId: STORE }),
    applied: { kind: 'unchanged' },
    promisedFees: asStroops(0n),
    spentLastHour: asStroops(0n),
    minBalance: xlm(25),
    mark: STORE,
    storeId: STORE,
    unknownMigration: undefined,
    users: [],
    ...overrides,
    authority,
  }
}
