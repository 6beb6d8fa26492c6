/** The XLM of a sponsor could not be sent; the message says why and what to do. */
export class SweepFailure extends Error {
  override readonly name = 'SweepFailure'
}

/** Transactions in a row that another process, or a busy network, kept from a ledger. */
export const MAX_FAILED_ATTEMPTS = 10
