import type { SubmittedSettlement } from '../../../../../src/payments/engine/follow/final-result.ts'
import { SettlementFollower } from '../../../../../src/payments/engine/follow/settlement-follower.ts'
import type { ServedNetwork } from '../../../../../src/payments/engine/network/served-network.ts'
import { defaultTimings } from '../../../../../src/payments/engine/timings.ts'
import type { SettlementRow } from '../../../../../src/payments/store/settlements/settlement.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../../src/platform/telemetry/metrics/metrics.ts'
import type { MadeTransfer, TransactionStatus } from '../../../../../src/stellar/rpc/rpc.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { policy } from '../../protocol/payment-builder.ts'
import { key, OneSettlement, recordedRow, settlementOf } from '../one-settlement.ts'

type Applied = 'SUCCESS' | 'FAILED'

/** The ledger has an envelope, or none of the ledgers that could have it has it. */
export type OnLedger = Applied | 'expired' | 'reset' | 'waiting'

const ranges = {
  expired: { latestLedger: 1_011, latestCloseTime: 1_001, oldestLedger: 1, oldestCloseTime: 1 },
  reset: { latestLedger: 5, latestCloseTime: 1_001, oldestLedger: 1, oldestCloseTime: 900 },
  waiting: { latestLedger: 12, latestCloseTime: 990, oldestLedger: 1, oldestCloseTime: 1 },
}

const statusOf = (on: OnLedger): TransactionStatus =>
  (on === 'SUCCESS' || on === 'FAILED'
    ? {
        ...ranges.waiting,
        ...{ status: on, ledger: 12, createdAt: 990, feeCharged: asStroops(300n), events: [] },
        ...(on === 'FAILED' && { resultCode: 'txFailed' }),
      }
    : { status: 'NOT_FOUND', ...ranges[on] }) as TransactionStatus

interface Given {
  readonly row?: SettlementRow | undefined
  /** The fee bump, as each look-up in turn finds it; the last one stays. */
  readonly feeBump?: readonly OnLedger[]
  readonly inner?: OnLedger
  /** Look-ups by another hash than those of the followed envelope. */
  readonly others?: Readonly<Record<string, OnLedger>>
  /** The payment in another transaction. */
  readonly transfer?: MadeTransfer
}

/** A follower of one settlement over a store and a ledger that a test makes up. */
export function followWorld({
  row = recordedRow,
  feeBump = ['waiting'],
  inner = 'expired',
  others = {},
  transfer = { state: 'not_made', latestLedger: 1_011 },
}: Given = {}) {
  const world = new OneSettlement(row)
  const clock = new FakeClock()
  const stop = new AbortController()
  const metrics = createMetrics()
  const sent: string[] = []
  const lookUps = [...feeBump]
  const paid: number[] = []
  const network = {
    id: key.network,
    policy,
    channelQueue: { freed: () => undefined },
    payers: { balances: { notePaid: (_: string, ledger: number) => void paid.push(ledger) } },
    stages: { run: (_: string, work: () => unknown) => work() },
    confirmations: {
      watch: async () => {
        const on = lookUps.length > 1 ? lookUps.shift() : lookUps[0]
        // As long as the real one waits for the next ledger.
        if (on === 'waiting') await clock.sleep(5_000, stop.signal)
        return statusOf(on ?? 'waiting')
      },
    },
    rpc: {
      send: async (envelope: string) => void sent.push(envelope),
      transaction: async (hash: string) => statusOf(others[hash] ?? inner),
      madeTransfer: async () => transfer,
    },
  } as unknown as ServedNetwork
  const follower = new SettlementFollower({
    store: world.store,
    clock,
    timings: defaultTimings,
    log: createLogger({ level: 'silent' }),
    metrics,
    signal: stop.signal,
  })
  return { world, clock, stop, metrics, sent, paid, network, follower }
}

/** The recorded settlement, as the process knows it that has sent it. */
export function submitted(changes: Partial<SubmittedSettlement> = {}): SubmittedSettlement {
  const settlement = settlementOf(recordedRow)
  if (!settlement.recorded) throw new Error('no envelope')
  return { ...settlement, recorded: settlement.recorded, maxLedger: 1_011, ...changes }
}
