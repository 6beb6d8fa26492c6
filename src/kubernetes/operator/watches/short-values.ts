import type { Secret } from '../../runtime/objects/well-known.ts'
import { lean } from './lean.ts'

/** Characters of base64. Seeds, database URLs, and the digests of a hundred API keys are shorter. */
const LONGEST_VALUES = 16_384

/** Whether the values of a Secret are so long that only few such Secrets may be in memory. */
export const isLong = ({ data = {} }: Pick<Secret, 'data'>): boolean =>
  Object.values(data).reduce((sum, { length }) => sum + length, 0) > LONGEST_VALUES

/**
 * A `transform` that keeps short values alone. Whoever may create Secrets could fill the operator's memory with labelled ones: a Secret
 * with long values is read by name when a resource names it.
 */
export function withShortValues(secret: Secret): Secret {
  const { data, ...others } = lean(secret)
  return data && !isLong({ data }) ? { ...others, data } : others
}
