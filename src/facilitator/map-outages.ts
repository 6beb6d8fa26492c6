import { Fault } from '../core/faults.ts'
import { RpcError } from '../stellar/rpc.ts'
import { StoreUnavailable } from '../store/unavailable.ts'

/** Turns errors of an unreachable store, or of an unreachable or overloaded network, into `service_unavailable`, which clients may retry. */
export async function mapOutages<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreUnavailable) {
      throw new Fault('service_unavailable', { reason: 'the store is unavailable', cause: error })
    }
    if (error instanceof RpcError) {
      const reason =
        error.kind === 'queue_full'
          ? 'too many requests wait for the Stellar network'
          : 'the Stellar network cannot be reached'
      throw new Fault('service_unavailable', { reason, cause: error })
    }
    throw error
  }
}
