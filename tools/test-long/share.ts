import { Durations } from '../../test/support/run/durations.ts'
import { seededRandom, shuffle } from '../vectors/random.ts'

/** Four workers run side by side for at most 15 minutes; files that take longer than the table says have another five. */
const SECONDS_OF_WORKERS = 15 * 60 * 4

/** The files of a seed's order that fit into the time of a share; each seed has another order. */
export function shareOf(files: readonly string[], seed: number): readonly string[] {
  const durations = new Durations()
  const order = [...files]
  shuffle(order, seededRandom(seed))
  let left = SECONDS_OF_WORKERS
  return order.filter((file) => {
    const seconds = durations.of(file)
    if (seconds > left) return false
    left -= seconds
    return true
  })
}
