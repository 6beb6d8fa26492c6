import { asStroops } from '../../../platform/core/amounts/stroops.ts'
import type { Store } from '../../../platform/database/open.ts'
import { RpcError, type StellarRpc } from '../../../stellar/rpc/rpc.ts'
import { schemesNamed } from '../../schemes/schemes.ts'
import { isOwnAccount } from '../../store/channels/is-own-account.ts'
import type { SettlementKey } from '../../store/settlements/settlement.ts'
import type { FinalLedgerOutcome, SubmittedSettlement } from './final-result.ts'
import { findLanded, type Landed } from './landed-after-all.ts'

/** How the ledger ended an envelope that did not make its payment. */
type Unpaid = Exclude<FinalLedgerOutcome, { kind: 'succeeded' }>

export type MadeElsewhere =
  | { readonly kind: 'made'; readonly outcome: FinalLedgerOutcome; readonly hash: string }
  | { readonly kind: 'not_made' }
  /** Not up to this ledger; those after it are still to be searched. */
  | { readonly kind: 'unfinished'; readonly searchedThrough: number }
  | { readonly kind: 'undecidable'; readonly because: string }

/**
 * Looks for the payment in another transaction than that of the envelope. It is either that of an earlier attempt, which was
 * refused and is on the ledger after all; or one of a stranger. From the moment at which an envelope of `exact` is sent,
 * everybody who sees it can make its payment in a transaction of their own, at their own expense. Then the payer has paid
 * the seller what was asked, and the envelope can only fail.
 *
 * Transactions from before the record do not count: nothing of ours had been sent, so such a payment was given to another
 * facilitator too, and answered there. Throws `RpcError` while the ledgers cannot be searched; what no endpoint retains any
 * more stays undecidable.
 */
export async function findMadeElsewhere(
  store: Store,
  rpc: Pick<StellarRpc, 'transaction' | 'madeTransfer'>,
  submitted: SubmittedSettlement,
  ended: Unpaid,
  signal: AbortSignal,
): Promise<MadeElsewhere> {
  const { key, attempt, facts, recorded } = submitted
  const landed = attempt === 1 ? undefined : await findLanded(store, rpc, key, signal)
  if (landed) return made(landed)
  const canAnyoneSettle = schemesNamed(facts.scheme).some((scheme) => scheme.canAnyoneSettle)
  if (!canAnyoneSettle) return notMade
  const query = {
    envelopeXdr: recorded.envelopeXdr,
    asset: facts.asset,
    payer: key.payer,
    nonce: BigInt(key.nonce),
    afterLedger: submitted.searchedThrough ?? recorded.recordedAtLedger,
    throughLedger: ended.kind === 'failed' ? ended.ledger : undefined,
    validThrough: submitted.maxLedger === undefined ? undefined : submitted.maxLedger - 1,
  }
  const found = await rpc.madeTransfer(query, signal).catch(whenNotRetained)
  if (found.state === 'unknown') return { kind: 'undecidable', because: found.because }
  if (found.state === 'unfinished') {
    return { kind: 'unfinished', searchedThrough: found.searchedThrough }
  }
  if (found.state === 'not_made') return notMade
  const { transaction: hash, ledger, sources } = found
  if (await isOurs(store, key, sources)) return notMade
  // What the ledger charged for the envelope is ours all the same.
  const feeCharged = ended.kind === 'failed' ? ended.feeCharged : asStroops(0n)
  return made({ hash, ledger, feeCharged })
}

function whenNotRetained(error: unknown) {
  if (!(error instanceof RpcError) || error.kind !== 'not_retained') throw error
  return { state: 'unknown', because: error.message } as const
}

const notMade = { kind: 'not_made' } as const

const made = ({ hash, ledger, feeCharged }: Omit<Landed, 'attempt'>): MadeElsewhere => ({
  kind: 'made',
  outcome: { kind: 'succeeded', ledger, feeCharged },
  hash,
})

/**
 * The store has lost the record of such a transaction. It may be of another request over the same authorization, which this
 * one must not be answered with; the process that sent it stores it again.
 */
async function isOurs(
  { db }: Store,
  { network }: SettlementKey,
  sources: readonly string[],
): Promise<boolean> {
  const own = await Promise.all(sources.map((address) => isOwnAccount(db, network, address)))
  return own.includes(true)
}
