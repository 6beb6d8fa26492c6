import { asStroops } from '../../../platform/core/amounts/stroops.ts'
import type { Store } from '../../../platform/database/open.ts'
import { RpcError, type StellarRpc } from '../../../stellar/rpc/rpc.ts'
import type { FinalLedgerOutcome, SubmittedSettlement } from './final-result.ts'
import type { Landed, RefusedOnLedger } from './landed-after-all.ts'
import { findByStranger } from './made-by-stranger.ts'

/** How the ledger ended an envelope that did not make its payment. */
type Unpaid = Exclude<FinalLedgerOutcome, { kind: 'succeeded' }>

export type MadeElsewhere =
  | { readonly kind: 'made'; readonly outcome: FinalLedgerOutcome; readonly hash: string }
  | { readonly kind: 'not_made' }
  /** Not up to this ledger; those after it are still to be searched. */
  | { readonly kind: 'unfinished'; readonly searchedThrough: number }
  /** Not yet: the authorization is valid in so many more ledgers. */
  | { readonly kind: 'open'; readonly ledgersLeft: number }
  | { readonly kind: 'undecidable'; readonly because: string }

/**
 * Looks for the payment in another transaction than that of the envelope. It is either that of an earlier attempt, which was
 * refused and is on the ledger after all; or one of a stranger. From the moment at which an envelope of `exact` is sent,
 * everybody who sees it can make its payment in a transaction of their own, at their own expense. Then the payer has paid
 * the seller what was asked, and the envelope can only fail.
 *
 * Transactions from before the record do not count: nothing of ours had been sent, so such a payment was given to another
 * facilitator too, and answered there. Throws `RpcError` while the ledgers cannot be searched, and while the endpoints do not agree
 * that the network has closed them; what no endpoint retains any more stays undecidable.
 *
 * @param refused what the ledger has of the earlier attempts
 */
export async function findMadeElsewhere(
  store: Store,
  rpc: Pick<StellarRpc, 'transaction' | 'madeTransfer'>,
  submitted: SubmittedSettlement,
  ended: Unpaid,
  refused: RefusedOnLedger,
  signal: AbortSignal,
): Promise<MadeElsewhere> {
  const { key, facts, recorded } = submitted
  const { landed } = refused
  // The fee that the ledger charged for the envelope is ours all the same.
  const ownFee = ended.kind === 'failed' ? ended.feeCharged : asStroops(0n)
  if (landed) return made({ ...landed, feeCharged: asStroops(landed.feeCharged + ownFee) })
  const { envelopeXdr, recordedAtLedger } = recorded
  const validThrough = submitted.maxLedger === undefined ? undefined : submitted.maxLedger - 1
  const found = await findByStranger(store, rpc, { key, facts, envelopeXdr }, signal, {
    afterLedger: submitted.searchedThrough ?? recordedAtLedger,
    throughLedger: ended.kind === 'failed' ? ended.ledger : undefined,
    validThrough,
  })
  if (found.state === 'unknown') return { kind: 'undecidable', because: found.because }
  if (found.state === 'unfinished') {
    return { kind: 'unfinished', searchedThrough: found.searchedThrough }
  }
  if (found.state === 'not_made') {
    // Whoever has the envelope can use the authorization in it; after a failure the payer itself is the likeliest.
    // Until the endpoints agree, an earlier attempt may have made the payment.
    const end = ended.kind === 'failed' ? ended.ledger : 1
    if (refused.absentThrough < end) throw notAgreed()
    const isOver = ended.kind === 'failed' || validThrough === undefined
    if (isOver || found.latestLedger === undefined) return notMade
    // One endpoint alone made the search: it must not also say that the authorization is over.
    const own = await rpc.transaction(recorded.txHash, signal)
    const closed = own.status === 'NOT_FOUND' ? own.latestLedger : 0
    const ledger = Math.min(found.latestLedger, closed, refused.absentThrough)
    if (ledger === 0) throw notAgreed()
    return ledger < validThrough ? { kind: 'open', ledgersLeft: validThrough - ledger } : notMade
  }
  const { transaction: hash, ledger } = found
  return made({ hash, ledger, feeCharged: ownFee })
}

const notMade = { kind: 'not_made' } as const

const notAgreed = () =>
  new RpcError('lagging', 'getTransaction', 'the endpoints do not agree about the latest ledgers')

const made = ({ hash, ledger, feeCharged }: Omit<Landed, 'attempt'>): MadeElsewhere => ({
  kind: 'made',
  outcome: { kind: 'succeeded', ledger, feeCharged },
  hash,
})
