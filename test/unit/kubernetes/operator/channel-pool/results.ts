import type { PoolResult } from '../../../../../src/kubernetes/operator/channel-pool/converge/converge.ts'
import { planPool } from '../../../../../src/payments/channels/converge/plan.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import {
  account,
  authorityOf,
  channel,
  onLedger,
  upTo,
} from '../../../payments/channels/converge/builders.ts'

export {
  account,
  channel,
  onLedger,
  upTo,
} from '../../../payments/channels/converge/builders.ts'

/** Of a transaction whose costs do not matter. */
export const noFunds = { feeCharged: asStroops(0n), rescued: 0n } as const
export const xlm = (lumens: number) => asStroops(BigInt(lumens) * 10_000_000n)

const STORE = 'store-a'

const LEDGER = 1_000

/** One pass over a healthy pool, changed by the overrides; the plan follows from them. */
export function result({
  hasAuthority = true,
  ...overrides
}: Partial<Omit<PoolResult, 'plan' | 'authorities'>> & {
  readonly hasAuthority?: boolean
} = {}): PoolResult {
  const { desired = 2 } = overrides
  const channels = overrides.channels ?? upTo(desired).map((index) => channel(index))
  const accounts = overrides.accounts ?? onLedger(...channels.map(({ index }) => index))
  const authorities = authorityOf(hasAuthority ? account() : undefined)
  return {
    desired,
    channels,
    accounts,
    // Three XLM of it are locked: two channels, and the account itself.
    sponsor: account({ address: 'GSPONSOR', balance: xlm(100), sponsoring: 4, sponsored: 0 }),
    plan: planPool({
      ...{ desired, channels, accounts, authorities },
      ...{ mark: STORE, storeId: STORE, ledger: LEDGER },
    }),
    applied: { kind: 'unchanged' },
    promisedFees: asStroops(0n),
    spentLastHour: asStroops(0n),
    minBalance: xlm(25),
    mark: STORE,
    ledger: LEDGER,
    source: { secretRef: { name: 'testnet-sponsor', key: 'secret' } },
    storeId: STORE,
    unknownMigration: undefined,
    users: [],
    hasMore: false,
    ...overrides,
    authorities,
  }
}
