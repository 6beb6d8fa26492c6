import type { ExplorerReads } from '../../../reads.ts'
import type { PaymentRecord } from '../../../records.ts'

/** Reads the payment of a transaction; undefined also for a text that is no hash. */
export async function readPayment(
  reads: Pick<ExplorerReads, 'payment'>,
  hash: string,
): Promise<PaymentRecord | undefined> {
  const txHash = hash.toLowerCase()
  return /^[0-9a-f]{64}$/.test(txHash) ? reads.payment(txHash) : undefined
}
