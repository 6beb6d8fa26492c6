import { createHash } from 'node:crypto'

/** What a label, a Service and most names in Kubernetes may be at most long. */
const MAX_LENGTH = 63
const HASH_LENGTH = 8

/**
 * The name of what an owner owns: `owner-suffix`, always the same, so that a second attempt meets
 * what the first one made. A name too long is cut, and gets a hash of the whole, which keeps apart
 * owners that begin alike. Throws a RangeError for a suffix that leaves no room.
 */
export function childName(owner: string, suffix: string): string {
  const whole = suffix === '' ? owner : `${owner}-${suffix}`
  if (whole.length <= MAX_LENGTH) return whole
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, HASH_LENGTH)
  const tail = suffix === '' ? hash : `${hash}-${suffix}`
  const room = MAX_LENGTH - tail.length - 1
  if (room < 1) throw new RangeError(`${suffix} is too long to end a name`)
  return `${owner.slice(0, room).replace(/[-.]+$/, '')}-${tail}`
}
