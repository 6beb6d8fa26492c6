/**
 * The end of a message about a transaction of the sponsor: how often it was tried, why the last try did nothing, and
 * what to do.
 * @param because of the last outcome `again`
 */
export const afterTries = (tries: number, because: string): string =>
  `in ${tries} tries, the last one with ${because}: ${hints.get(because) ?? BUSY}`

const BUSY = 'the network is busy, or another process uses the sponsor. Try again when that is over'

const hints: ReadonlyMap<string, string> = new Map([
  ['txTooLate', 'the network closes no ledgers. Try again when svc doctor sees new ones'],
  ['txInsufficientFee', 'the network is busy. Raise INCLUSION_FEE_STROOPS, or try again later'],
])
