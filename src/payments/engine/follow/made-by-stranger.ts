import type { Store } from '../../../platform/database/open.ts'
import {
  type MadeTransfer,
  RpcError,
  type StellarRpc,
  type TransferQuery,
} from '../../../stellar/rpc/rpc.ts'
import { schemesNamed } from '../../schemes/schemes.ts'
import { isOwnAccount } from '../../store/channels/is-own-account.ts'
import type { SettlementFacts, SettlementKey } from '../../store/settlements/settlement.ts'

/** An envelope that was sent, and the payment that it was to make. */
export interface SentPayment {
  readonly key: SettlementKey
  readonly facts: Pick<SettlementFacts, 'scheme' | 'asset'>
  /** Base64. */
  readonly envelopeXdr: string
}

type Ledgers = Pick<TransferQuery, 'afterLedger' | 'throughLedger' | 'validThrough'>
type Found =
  | MadeTransfer
  /** Nobody else can make it, or no endpoint retains all of these ledgers. */
  | { readonly state: 'not_made'; readonly latestLedger?: never }
  | { readonly state: 'unknown'; readonly because: string }

/**
 * Looks for the payment of an envelope in the transaction of a stranger who saw it. Throws `RpcError` while the ledgers cannot be
 * searched; what no endpoint retains any more stays unknown.
 */
export async function findByStranger(
  store: Store,
  rpc: Pick<StellarRpc, 'madeTransfer'>,
  { key, facts, envelopeXdr }: SentPayment,
  signal: AbortSignal | undefined,
  ledgers: Ledgers,
): Promise<Found> {
  const canAnyoneSettle = schemesNamed(facts.scheme).some((scheme) => scheme.canAnyoneSettle)
  if (!canAnyoneSettle) return { state: 'not_made' }
  const { payer, nonce } = key
  const query = { ...ledgers, envelopeXdr, asset: facts.asset, payer, nonce: BigInt(nonce) }
  const found = await rpc.madeTransfer(query, signal).catch(whenNotRetained)
  const isOfOther = found.state === 'made' && (await isOurs(store, key, found.sources))
  return isOfOther ? { state: 'not_made' } : found
}

function whenNotRetained(error: unknown) {
  if (!(error instanceof RpcError) || error.kind !== 'not_retained') throw error
  return { state: 'unknown', because: error.message } as const
}

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
