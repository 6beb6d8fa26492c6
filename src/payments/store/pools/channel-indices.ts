import type { NetworkId } from '../../../platform/core/caip2.ts'

/** One sponsor's channels on one network. */
export interface PoolKey {
  readonly network: NetworkId
  readonly sponsor: string
}

/** A pool has at most 1,000 channels, each with the lowest index that is free. */
export const MAX_STORED_CHANNELS = 2_000

/** Whoever runs the database may have written such a row, or answer with one. */
export class InvalidChannelIndex extends Error {
  override readonly name = 'InvalidChannelIndex'

  constructor({ network, sponsor }: PoolKey, index: unknown) {
    super(
      `The table channels has the index ${String(index).slice(0, 20)} for sponsor ${sponsor} on ${network}, ` +
        `but each from 0 to ${MAX_STORED_CHANNELS - 1} may stand there once: another program wrote it, so restore the table`,
    )
  }
}

/**
 * Throws `InvalidChannelIndex` unless the indices ascend within their bound: the keys of all up to the highest are derived and looked up.
 */
export function requireValidIndices(pool: PoolKey, indices: readonly unknown[]): void {
  let last = -1
  for (const index of indices) {
    const isValid = Number.isInteger(index) && Number(index) < MAX_STORED_CHANNELS
    if (!isValid || Number(index) <= last) throw new InvalidChannelIndex(pool, index)
    last = Number(index)
  }
}
