import { Fault } from '../../core/faults.ts'
import { StoreUnavailable } from '../../store/unavailable.ts'

/** Turns the error of an unreachable store into `service_unavailable`, which clients may retry. */
export async function mapOutage<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    throw new Fault('service_unavailable', { reason: 'the store is unavailable', cause: error })
  }
}
