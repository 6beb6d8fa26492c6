import type { xdr } from '@stellar/stellar-sdk'
import { refuse } from './refusal.ts'

/** A signed transaction that nobody sends yet cannot be sent later than this. */
const MAX_VALID_SECONDS = 600

/** Refuses what no transaction of the facilitator has, and what stays valid for too long. @param now Unix ms */
export function checkPreconditions({ cond, memo }: xdr.Transaction, now: number): void {
  if (memo.type !== 'memoNone') refuse('memo', `the transaction has a ${memo.type}`)
  const timeBounds = timeBoundsOf(cond)
  const maxTime = timeBounds?.maxTime ?? 0n
  // 0 is no bound.
  if (!timeBounds || maxTime === 0n) refuse('max_time', 'the transaction has no max time')
  if (timeBounds.minTime !== 0n) refuse('preconditions', 'the transaction has a min time')
  const ahead = maxTime - BigInt(Math.floor(now / 1_000))
  const times = `its max time ${shown(maxTime)}, the clock of the sidecar ${new Date(now).toISOString()}`
  if (ahead < 0n) refuse('max_time', `the max time has passed: ${times}`)
  if (ahead > MAX_VALID_SECONDS) {
    refuse('max_time', `the max time is more than ${MAX_VALID_SECONDS} s ahead: ${times}`)
  }
}

function timeBoundsOf(cond: xdr.Preconditions): xdr.TimeBounds | null {
  switch (cond.type) {
    case 'precondNone':
      return null
    case 'precondTime':
      return cond.timeBounds
    case 'precondV2': {
      const { timeBounds, ledgerBounds, minSeqNum, minSeqAge, minSeqLedgerGap, extraSigners } =
        cond.v2
      const hasOthers =
        (ledgerBounds?.minLedger ?? 0) !== 0 ||
        minSeqNum !== null ||
        minSeqAge !== 0n ||
        minSeqLedgerGap !== 0 ||
        extraSigners.length > 0
      if (hasOthers)
        refuse('preconditions', 'the transaction has more bounds than max time and max ledger')
      return timeBounds
    }
  }
}

/** Seconds beyond what a date can be are shown as they are. */
function shown(seconds: bigint): string {
  const date = new Date(Number(seconds) * 1_000)
  return Number.isNaN(date.getTime()) ? `${seconds}` : date.toISOString()
}
