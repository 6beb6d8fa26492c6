import { Durations } from '../../test/support/run/durations.ts'
import { seededRandom, shuffle } from '../vectors/random.ts'

/** Workers run side by side for at most 15 minutes; what the table says too little of has another five. */
const SECONDS_OF_WORKERS = 15 * 60 * 3

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
