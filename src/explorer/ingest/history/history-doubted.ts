/** An answer that does not fit the ledgers that were written; nothing of it is written. */
export class HistoryDoubted extends Error {
  override readonly name = 'HistoryDoubted'
}
