/** A place in the feed has the hash of a payment; this one is below every hash. */
const BELOW_EVERY_HASH = '0'.repeat(64)

/** The cursor at which the feed continues with the payments that closed before a time. */
export const beforeTime = (iso: string): string =>
  Buffer.from(JSON.stringify([iso, BELOW_EVERY_HASH, 0])).toString('base64url')

/** The time of a cursor, for the page that continues there; undefined for text that is no cursor. */
export function timeOfCursor(cursor: string): string | undefined {
  try {
    const [time] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [unknown]
    return typeof time === 'string' && !Number.isNaN(Date.parse(time)) ? time : undefined
  } catch {
    return undefined
  }
}
