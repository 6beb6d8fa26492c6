/**
 * The queues of simulations. `simulate_contract` has those that run code which a stranger has written, such as the
 * `__check_auth` of a payer; `simulate_large` has the large ones, whatever they run.
 */
export type SimulationQueue = 'simulate' | 'simulate_contract' | 'simulate_large'

/** The queue of what is no payment: the calls of a token for its symbol, name and decimals, whose code is a stranger's. */
export type TokenQueue = 'simulate_token'

/** An ordinary envelope has 2 to 5 KiB, and anyone can send 64 KiB that have to be simulated before they are refused. */
const LARGE_BYTES = 16 * 1024

/**
 * The queue of an envelope. Only those of `simulate` go out together: a batch is answered when its slowest request is, and when
 * that takes too long, all of its requests fail.
 *
 * @param envelope base64
 */
export function simulationQueue(
  envelope: string,
  { runsStrangersCode = false } = {},
): SimulationQueue {
  if (envelope.length > LARGE_BYTES) return 'simulate_large'
  return runsStrangersCode ? 'simulate_contract' : 'simulate'
}
