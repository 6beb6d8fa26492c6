import { createHash } from 'node:crypto'

/** Limit of labels, Services and most names in Kubernetes. */
const MAX_LENGTH = 63
const HASH_LENGTH = 8

/**
 * The name of a child: `owner-suffix`, always the same, so that a second attempt finds the object of the first.
 * A name that is too long is cut and gets a hash of the whole name, so that it stays unique. Throws a
 * RangeError for a suffix that leaves no space for the owner.
 */
export function childName(owner: string, suffix: string): string {
  const whole = suffix === '' ? owner : `${owner}-${suffix}`
  if (whole.length <= MAX_LENGTH) return whole
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, HASH_LENGTH)
  const tail = suffix === '' ? hash : `${hash}-${suffix}`
  const maxLength = MAX_LENGTH - tail.length - 1
  if (maxLength < 1) throw new RangeError(`${suffix} is too long to end a name`)
  return `${owner.slice(0, maxLength).replace(/[-.]+$/, '')}-${tail}`
}
