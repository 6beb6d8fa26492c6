import { feeFor, feeForTtl, type ResourceRates } from '../../stellar/transactions/resource-rates.ts'
import { resourcesOfData } from '../../stellar/transactions/transaction-resources.ts'

/** Stroops. */
export interface FeeRange {
  /** No payment costs less. */
  readonly least: bigint
  /** Of a payment between two accounts, the payer with one signature. */
  readonly likely: bigint
}

export interface SimulatedTransfer {
  /** Base64 `SorobanTransactionData` of a simulation that records the payer's authorization. */
  readonly recorded: string
  /** The same with the payer as the source, which authorizes it: without nonce, signature and the read of the account. */
  readonly ofSource: string
  /** Whether the payer's balance is another entry than its account, which the check of its signature reads. */
  readonly hasOwnBalance: boolean
}

/** XDR bytes of the credentials: address, nonce and last ledger; a contract may accept an empty signature. */
const CREDENTIALS_BYTES = 56
/** A vector of one map with the public key and the signature of an account, in place of an empty signature. */
const SIGNATURE_BYTES = 172
/** Size of the entry of a nonce with its key, and of an account without further signers. */
const NONCE_BYTES = 76
const ACCOUNT_BYTES = 144
/** Size that a footprint gains: the key of the account, and the keys of two trustlines in place of two accounts. */
const OWN_BALANCE_KEY_BYTES = 40 + 2 * 44

/**
 * What a signature adds to the fee of a simulation that has none. The recording runs the same check of the signature, so it
 * declares what that uses; but its fee has the rent of the nonce for the longest time that the network allows, and its size no signature.
 *
 * The least is below zero where balances are classic entries: those of a contract are not read from disk (CAP-62), and
 * a smart account's check may do nothing.
 */
export function signatureFee(
  rates: ResourceRates,
  { recorded, ofSource, hasOwnBalance }: SimulatedTransfer,
): FeeRange {
  const [of, without] = [resourcesOfData(recorded), resourcesOfData(ofSource)]
  const nonce = feeFor(rates, { writes: 1, writeBytes: NONCE_BYTES }) + feeForTtl(rates)
  // Lumens were simulated in place of an asset with trustlines.
  const account = hasOwnBalance && of.diskReads === without.diskReads
  const likely = feeFor(rates, {
    instructions: Math.max(0, of.instructions - without.instructions),
    diskReads: account ? 1 : of.diskReads - without.diskReads,
    diskReadBytes: account ? ACCOUNT_BYTES : of.diskReadBytes - without.diskReadBytes,
    transactionBytes:
      CREDENTIALS_BYTES +
      SIGNATURE_BYTES +
      (account ? OWN_BALANCE_KEY_BYTES : 0) +
      of.bytes -
      without.bytes,
  })
  const { diskReads, diskReadBytes } = without
  const read = feeFor(rates, { diskReads, diskReadBytes })
  const least = feeFor(rates, { transactionBytes: CREDENTIALS_BYTES })
  return { least: nonce + least - read, likely: nonce + likely }
}
