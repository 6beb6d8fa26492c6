import type { ServedNetwork } from '../../../../src/payments/engine/network/served-network.ts'
import type { SettlementRow } from '../../../../src/payments/store/settlements/settlement.ts'
import type { TransactionStatus } from '../../../../src/stellar/rpc/rpc.ts'
import { payment, policy, simulate } from '../protocol/host-world.ts'
import { submitWorld } from './send/submit-world.ts'

interface Given extends NonNullable<Parameters<typeof submitWorld>[0]> {
  /** What the store has of the authorization. */
  readonly row?: SettlementRow
  readonly pausedForMs?: number
  /** Whether this process knows of the pause. */
  readonly isKnownPaused?: boolean
  readonly isAdmitted?: boolean
  /** Whether there is still a place once the payment has a quote. */
  readonly isAdmittedLate?: boolean
  /** Whether the simulation of the payment succeeds. */
  readonly isPayable?: boolean
  /** Whether the ledger has the transactions of refused attempts. */
  readonly isLanded?: boolean
  /** The last ledger that the endpoint has, none of which has the payment of a stranger. */
  readonly latestLedger?: number
}

/** A request of a payment that the real host simulates; the rest is the world of `submitWorld`. */
export async function requestWorld({
  row,
  pausedForMs = 0,
  isKnownPaused = false,
  isAdmitted = true,
  isAdmittedLate = isAdmitted,
  isPayable = true,
  isLanded = false,
  latestLedger = 1_000_000,
  ...given
}: Given = {}) {
  // More than the payer has.
  const paid = await payment(isPayable ? {} : { amount: 10n ** 9n * 100n })
  const base = await submitWorld(given)
  const { world, log } = base
  world.row = row
  world.pausedForMs = pausedForMs
  const simulations = { count: 0 }
  const network = {
    ...base.network,
    policy,
    admission: {
      isOpenFor: () => isAdmitted,
      enter: () => ({
        isAdmitted: isAdmittedLate,
        leave: () => undefined,
        [Symbol.dispose]: () => undefined,
      }),
    },
    simulations: { run: (_: string, __: object, work: () => unknown) => work() },
    payers: {
      ...base.network.payers,
      limitToFunds: true,
      balances: {
        paidOn: () => 0,
        read: async () => ({ amount: 150_000n, ledger: 2_000 }),
      },
      paused: { has: () => isKnownPaused, note: () => undefined },
    },
    monitor: { ...base.network.monitor, inclusionFee: 100n, transactionLimits: undefined },
    rpc: {
      ...base.network.rpc,
      simulate: async () => {
        simulations.count += 1
        return simulate(paid)
      },
      transaction: async () =>
        ({
          status: isLanded ? 'SUCCESS' : 'NOT_FOUND',
          ledger: 12,
          feeCharged: 300n,
          latestLedger,
        }) as TransactionStatus,
      madeTransfer: async () => ({ state: 'not_made', latestLedger }),
    },
  } as unknown as ServedNetwork
  const deps = {
    ...base.deps,
    follower: { ...base.deps.follower, restoreLost: async () => undefined },
  } as unknown as typeof base.deps
  return { ...base, log, network, deps, request: paid.request, payer: paid.payer, simulations }
}
