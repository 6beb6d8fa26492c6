import { Fault } from '../core/faults.ts'
import { RpcError } from '../stellar/rpc.ts'
import { StoreUnavailable } from '../store/unavailable.ts'

/** What we stand on may be away for a while; that is no defect of ours, and worth another try. */
export async function answering<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreUnavailable) {
      throw new Fault('service_unavailable', { reason: 'the store is unavailable', cause: error })
    }
    if (error instanceof RpcError) {
      const reason = 'the Stellar network cannot be reached'
      throw new Fault('service_unavailable', { reason, cause: error })
    }
    throw error
  }
}
