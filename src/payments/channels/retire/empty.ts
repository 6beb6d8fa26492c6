import { plainWritesOf } from '../converge/access.ts'
import { type Converged, type ConvergeFully, convergeFully } from '../converge/converge.ts'
import type { Progress } from '../progress.ts'
import { RetireFailure, sponsorMissing } from './merge-channels.ts'
import type { RetirePlanOptions } from './retire-plan.ts'

export interface EmptyOptions
  extends Omit<RetirePlanOptions, 'previousSponsor'>,
    Pick<ConvergeFully, 'authorities' | 'payer' | 'takesHeld' | 'clock'> {
  readonly onProgress: Progress
  /**
   * Called before each transaction: stops leasing the channels, and throws unless none is in use. A service that has started
   * in between made its channels active again.
   */
  readonly before: () => Promise<void>
}

/**
 * Merges every channel of the sponsor back into it, which returns the reserves; the authorities go last, when
 * no channel is left that could settle for them, and with them the mark of the store. Throws what
 * `before` throws, `RetireFailure` when the sponsor cannot merge them, `RpcError` when the network does not answer.
 */
export function emptySponsor(options: EmptyOptions): Promise<Converged> {
  const { network, keys, count, store } = options
  const { address } = keys
  return convergeFully({
    ...options,
    ...plainWritesOf(store),
    purpose: 'empty',
    desired: 0,
    reach: count,
    floor: 0n as ConvergeFully['floor'],
    noSponsor: () => sponsorMissing(network, address),
    failure: (why) => new RetireFailure(why),
  })
}
