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

/**
 * Looks on the ledger for the transaction of an attempt that every endpoint refused. A refusal proves only that no
 * endpoint took the envelope: one that passes it on nonetheless, or one behind a proxy that sends every request
 * twice, can bring it to a ledger. Then the payment is made, and no later attempt can be.
 */
export async function findLanded(
  { db }: Store,
  rpc: Ledger,
  key: SettlementKey,
  signal?: AbortSignal,
): Promise<Landed | undefined> {
  for (const { attempt, txHash, innerHash } of await listRefusedAttempts(db, key)) {
    const ours = await rpc.transaction(txHash, signal)
    if (ours.status === 'SUCCESS') {
      const { ledger, feeCharged } = ours
      return { attempt, hash: txHash, ledger, feeCharged }
    }
    const inner = await rpc.transaction(innerHash, signal)
    if (inner.status === 'SUCCESS') {
      return { attempt, hash: innerHash, ledger: inner.ledger, feeCharged: asStroops(0n) }
    }
  }
  return undefined
}

/** Finishes a refused settlement whose transaction the ledger has after all; undefined when it has none. */
export async function finishLanded(
  store: Store,
  rpc: Ledger,
  { key, facts }: Pick<Settlement, 'key' | 'facts'>,
): Promise<Settlement | undefined> {
  const landed = await findLanded(store, rpc, key)
  if (!landed) return undefined
  const { attempt, hash, ledger, feeCharged } = landed
  const response = { ...settled({ ...key, paid: facts }, hash) }
  return finishRefusedAsSucceeded(store.db, { key, attempt, response, ledger, feeCharged })
}
