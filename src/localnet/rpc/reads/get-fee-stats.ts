import type { LedgerFees } from '../../closing/history.ts'
import type { RpcContext } from '../context.ts'

/** Stellar RPC's default windows, in ledgers. */
const CLASSIC_WINDOW = 10
const SOROBAN_WINDOW = 50

const percentiles = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99] as const

export function getFeeStats({ network }: RpcContext) {
  const soroban = network.recentFees(SOROBAN_WINDOW)
  const classic = network.recentFees(CLASSIC_WINDOW)
  return {
    sorobanInclusionFee: distribution(soroban, (fees) => fees.soroban),
    inclusionFee: distribution(classic, (fees) => fees.classic),
    latestLedger: network.latest.sequence,
  }
}

/** Percentiles by nearest rank; the mode is the smallest of the most frequent fees. */
export function distribution(
  ledgers: readonly LedgerFees[],
  pick: (fees: LedgerFees) => readonly bigint[],
) {
  const fees = ledgers.flatMap(pick).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const rank = (percentile: number) => fees[Math.ceil((percentile / 100) * fees.length) - 1] ?? 0n
  return {
    max: String(fees.at(-1) ?? 0n),
    min: String(fees[0] ?? 0n),
    mode: String(mode(fees)),
    ...Object.fromEntries(percentiles.map((p) => [`p${p}`, String(rank(p))])),
    transactionCount: String(fees.length),
    ledgerCount: ledgers.length,
  }
}

function mode(sorted: readonly bigint[]): bigint {
  const counts = new Map<bigint, number>()
  for (const fee of sorted) counts.set(fee, (counts.get(fee) ?? 0) + 1)
  let best: readonly [bigint, number] = [0n, 0]
  for (const entry of counts) if (entry[1] > best[1]) best = entry
  return best[0]
}
