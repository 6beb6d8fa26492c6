/** An order that is the same for the same seed, and that nothing else determines. */
import { sha256 } from '../../ledger/header.ts'
import { xdrUint32 } from '../xdr-bytes.ts'

export type Shuffle = <T>(items: readonly T[]) => T[]

/** For the changes of one operation: another order in each transaction, the same one in each run. */
export function shuffleOf(seed: number, transaction: Uint8Array, operation: number): Shuffle {
  const digest = sha256(xdrUint32(seed), transaction, xdrUint32(operation))
  let state = new DataView(digest.buffer, digest.byteOffset).getUint32(0)
  /** From 0 to below `end`. */
  const next = (end: number): number => {
    // A linear congruential generator with the constants of Numerical Recipes; its high bits vary most.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * end)
  }
  return <T>(items: readonly T[]): T[] => {
    const shuffled: T[] = []
    for (const item of items) shuffled.splice(next(shuffled.length + 1), 0, item)
    return shuffled
  }
}
