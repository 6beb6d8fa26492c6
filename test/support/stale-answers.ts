/** Turns the answers of an endpoint into those of one that lags behind it. */
export type Json = Record<string, unknown>

/** The members of an answer without the transaction. */
const toldWithout = [
  'latestLedger',
  'latestLedgerCloseTime',
  'oldestLedger',
  'oldestLedgerCloseTime',
] as const

/** The answer of getTransaction before the transaction landed. */
export const notFound = (result: Json): Json => ({
  status: 'NOT_FOUND',
  ...Object.fromEntries(toldWithout.map((name) => [name, result[name]])),
})

/** A ledger by its number; close times are unix seconds as text. */
export interface Tip {
  readonly sequence: number
  readonly closeTime: string
  readonly hash: string
}

/**
 * The same answer as of an older ledger: its number and time, no transaction, event or ledger that is
 * newer. Entries and simulations stay those of now.
 */
export function asOf(tip: Tip, result: Json): Json {
  const older: Json = { ...result }
  const replace = (name: string, value: unknown) => {
    if (name in older) older[name] = typeof older[name] === 'number' ? Number(value) : value
  }
  if (older['status'] !== 'NOT_FOUND' && Number(older['ledger']) > tip.sequence) {
    return asOf(tip, notFound(result))
  }
  replace('latestLedger', tip.sequence)
  replace('latestLedgerCloseTime', tip.closeTime)
  replace('latestLedgerCloseTimestamp', tip.closeTime)
  if ('sequence' in older && 'id' in older) {
    Object.assign(older, { id: tip.hash, sequence: tip.sequence, closeTime: tip.closeTime })
    delete older['headerXdr']
    delete older['metadataXdr']
  }
  for (const list of ['events', 'transactions', 'ledgers']) {
    const all = older[list]
    if (Array.isArray(all)) older[list] = all.filter((it) => !isNewer(it, tip.sequence))
  }
  return older
}

const isNewer = (row: Json, sequence: number): boolean =>
  Number(row['ledger'] ?? row['sequence']) > sequence
