import { asStroops, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { Store } from '../../../platform/database/open.ts'
import type { StellarRpc } from '../../../stellar/rpc/rpc.ts'
import type { Settlement, SettlementKey } from '../../store/settlements/settlement.ts'
import {
  finishRefusedAsSucceeded,
  listRefusedAttempts,
} from '../../store/settlements/transitions/refuse.ts'
import { settled } from '../answers/settle-answer.ts'

export interface Landed {
  /** The refused attempt. */
  readonly attempt: number
  /** 64 hex digits: of the fee bump, or of the transaction inside when another fee bump paid for it. */
  readonly hash: string
  readonly ledger: number
  /** Charged to the sponsor. */
  readonly feeCharged: Stroops
}

type Ledger = Pick<StellarRpc, 'transaction'>

/** Says which of the attempts that the network refused are on a ledger. */
export interface RefusedOnLedger {
  /** The one that made the payment. */
  readonly landed: Landed | undefined
  /**
   * All endpoints agree that up to this ledger none of the others is on one; 0 while that is in doubt. Infinity
   * when each is on a ledger.
   */
  readonly absentThrough: number
  /** Charged to the sponsor for those that failed. */
  readonly feesOfFailed: Stroops
}

export const nothingRefused: RefusedOnLedger = {
  landed: undefined,
  absentThrough: Number.POSITIVE_INFINITY,
  feesOfFailed: asStroops(0n),
}

/**
 * Looks on the ledger for the transactions of attempts that every endpoint refused. A refusal proves only that no
 * endpoint took the envelope: one that passes it on nonetheless, or one behind a proxy that sends every request
 * twice, can bring it to a ledger. Then the payment is made, and the others can only fail, at the cost of the sponsor.
 */
export async function findRefused(
  { db }: Store,
  rpc: Ledger,
  key: SettlementKey,
  signal?: AbortSignal,
): Promise<RefusedOnLedger> {
  let { landed, absentThrough, feesOfFailed } = nothingRefused
  for (const { attempt, txHash, innerHash } of await listRefusedAttempts(db, key)) {
    const ours = await rpc.transaction(txHash, signal)
    if (ours.status === 'FAILED') feesOfFailed = asStroops(feesOfFailed + ours.feeCharged)
    if (ours.status === 'SUCCESS') {
      const { ledger, feeCharged } = ours
      landed = { attempt, hash: txHash, ledger, feeCharged }
    }
    if (ours.status !== 'NOT_FOUND') continue
    // Whoever pays for a fee bump of its own is charged for it.
    const inner = await rpc.transaction(innerHash, signal)
    if (inner.status === 'SUCCESS') {
      landed = { attempt, hash: innerHash, ledger: inner.ledger, feeCharged: asStroops(0n) }
    }
    if (inner.status === 'NOT_FOUND') {
      absentThrough = Math.min(absentThrough, ours.latestLedger, inner.latestLedger)
    }
  }
  return { landed, absentThrough, feesOfFailed }
}

/** Finishes a refused settlement whose transaction the ledger has after all; undefined when it has none. */
export async function finishLanded(
  store: Store,
  rpc: Ledger,
  settlement: Pick<Settlement, 'key' | 'facts'>,
): Promise<Settlement | undefined> {
  return finishRefused(store, settlement, await findRefused(store, rpc, settlement.key))
}

/** The same, with what was found. */
export async function finishRefused(
  store: Store,
  { key, facts }: Pick<Settlement, 'key' | 'facts'>,
  { landed, feesOfFailed }: RefusedOnLedger,
): Promise<Settlement | undefined> {
  if (!landed) return undefined
  const { attempt, hash, ledger } = landed
  const feeCharged = asStroops(landed.feeCharged + feesOfFailed)
  const response = { ...settled({ ...key, paid: facts }, hash) }
  return finishRefusedAsSucceeded(store.db, { key, attempt, response, ledger, feeCharged })
}
