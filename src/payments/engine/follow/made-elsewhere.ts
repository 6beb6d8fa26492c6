import { asStroops } from '../../../platform/core/amounts/stroops.ts'
import type { Store } from '../../../platform/database/open.ts'
import type { StellarRpc } from '../../../stellar/rpc/rpc.ts'
import { schemesNamed } from '../../schemes/schemes.ts'
import type { FinalLedgerOutcome, SubmittedSettlement } from './final-result.ts'
import { findLanded } from './landed-after-all.ts'

/** How the ledger ended an envelope that did not make its payment. */
export type Unpaid = Exclude<FinalLedgerOutcome, { kind: 'succeeded' }>

export type MadeElsewhere =
  | { readonly kind: 'made'; readonly outcome: FinalLedgerOutcome; readonly hash: string }
  | { readonly kind: 'not_made' }
  | { readonly kind: 'undecidable'; readonly because: string }

/**
 * Looks for the payment in another transaction than that of the envelope. It is either that of an earlier attempt, which was
 * refused and is on the ledger after all; or one of a stranger. From the moment at which an envelope of `exact` is sent,
 * everybody who sees it can make its payment in a transaction of their own, at their own expense. Then the payer has paid
 * the seller what was asked, and the envelope can only fail.
 *
 * Transactions from before the record do not count: nothing of ours had been sent, so such a payment was given to another
 * facilitator too, and answered there. Throws `RpcError` while the ledgers cannot be searched.
 */
export async function findMadeElsewhere(
  store: Store,
  rpc: Pick<StellarRpc, 'transaction' | 'madeTransfer'>,
  { key, attempt, facts, recorded }: SubmittedSettlement,
  ended: Unpaid,
  signal: AbortSignal,
): Promise<MadeElsewhere> {
  const landed = attempt === 1 ? undefined : await findLanded(store, rpc, key, signal)
  if (landed) {
    const { hash, ledger, feeCharged } = landed
    return { kind: 'made', outcome: { kind: 'succeeded', ledger, feeCharged }, hash }
  }
  if (!schemesNamed(facts.scheme).some((scheme) => scheme.canAnyoneSettle)) {
    return { kind: 'not_made' }
  }
  const { envelopeXdr, recordedAtLedger: afterLedger } = recorded
  const throughLedger = ended.kind === 'failed' ? ended.ledger : undefined
  const { payer, nonce } = key
  const transfer = { envelopeXdr, asset: facts.asset, payer, nonce: BigInt(nonce) }
  const found = await rpc.madeTransfer({ ...transfer, afterLedger, throughLedger }, signal)
  switch (found.state) {
    case 'made': {
      const { transaction: hash, ledger } = found
      // What the ledger charged for the envelope is ours all the same.
      const feeCharged = ended.kind === 'failed' ? ended.feeCharged : asStroops(0n)
      return { kind: 'made', outcome: { kind: 'succeeded', ledger, feeCharged }, hash }
    }
    case 'not_made':
      return { kind: 'not_made' }
    case 'unknown':
      return { kind: 'undecidable', because: found.because }
  }
}
