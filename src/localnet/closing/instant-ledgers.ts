import type { Localnet } from '../network.ts'

/**
 * Returns a function that closes ledgers until no transaction waits for one. Calls at the same time share them, so
 * that transactions that arrive together are in one ledger.
 */
export function instantLedgers(network: Localnet): () => Promise<void> {
  let closing: Promise<unknown> | undefined
  return async () => {
    while (network.hasPending) {
      closing ??= network.closeLedger().finally(() => {
        closing = undefined
      })
      await closing
    }
  }
}
