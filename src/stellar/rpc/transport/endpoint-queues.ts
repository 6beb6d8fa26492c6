import type { Clock } from '../../../platform/core/time/clock.ts'
import type { SimulationQueue, TokenQueue } from '../simulation-queue.ts'
import { BatchingTransport } from './batching-transport.ts'
import type { EncodedRequest, JsonRpcResponse } from './post-json-rpc.ts'

/** `settle` holds sends and look-ups of transactions, `read` reads of ledger entries. */
export type QueueName = 'settle' | 'read' | SimulationQueue | TokenQueue

interface QueueSettings {
  readonly maxRequests: number
  readonly maxBytes: number
  /** While this many HTTP requests are on their way, further requests queue for the next batch. */
  readonly holdWhileInFlight: number
  /** Requests are sent one by one, at most this many side by side. */
  readonly singlesInFlight?: number
}

const MIB = 1024 * 1024

/**
 * Every queue has HTTP requests of its own, so that no flood of simulations holds up a payment that is
 * already recorded. The bounds hold what an endpoint answers within a few seconds; sends and look-ups are
 * few, since each belongs to a settlement in progress, and are refused last. They are also batched first:
 * beside the seconds until the ledger closes, a wait of one round trip does not matter.
 */
const settings: Readonly<Record<QueueName, QueueSettings>> = {
  settle: { maxRequests: 20_000, maxBytes: 64 * MIB, holdWhileInFlight: 1 },
  read: { maxRequests: 4_000, maxBytes: 4 * MIB, holdWhileInFlight: 2 },
  simulate: { maxRequests: 4_000, maxBytes: 16 * MIB, holdWhileInFlight: 2 },
  simulate_contract: {
    maxRequests: 1_000,
    maxBytes: 16 * MIB,
    holdWhileInFlight: 16,
    singlesInFlight: 16,
  },
  simulate_large: { maxRequests: 100, maxBytes: 4 * MIB, holdWhileInFlight: 4, singlesInFlight: 4 },
  simulate_token: { maxRequests: 100, maxBytes: MIB, holdWhileInFlight: 1, singlesInFlight: 1 },
}

/** Its caller has 25 s in all, of which a settlement then needs a few for a channel and the ledger. */
const MAX_WAIT_MS = 5_000

/** Other methods are called by background loops, a few at a time, and their answers may be megabytes. */
const queueOfMethod: ReadonlyMap<string, QueueName> = new Map([
  ['sendTransaction', 'settle'],
  ['getTransaction', 'settle'],
  ['getLedgerEntries', 'read'],
])

export interface EndpointQueuesOptions {
  readonly url: URL
  readonly timeoutMs: number
  readonly clock: Clock
  readonly maxAnswerBytes?: number | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly onQueueLength?: ((queue: QueueName, length: number) => void) | undefined
}

type Exchange = (
  request: EncodedRequest,
  signal?: AbortSignal,
  queue?: QueueName,
) => Promise<JsonRpcResponse>

/** The queues of one endpoint; a request goes through the one that it names or that of its method, or through none. */
export function endpointQueues({ onQueueLength, ...options }: EndpointQueuesOptions): Exchange {
  const open = (name: QueueName) => {
    const onLength = (length: number) => onQueueLength?.(name, length)
    return new BatchingTransport({
      ...options,
      ...settings[name],
      maxWaitMs: MAX_WAIT_MS,
      onLength,
    })
  }
  const queues: Readonly<Record<QueueName, BatchingTransport>> = {
    settle: open('settle'),
    read: open('read'),
    simulate: open('simulate'),
    simulate_contract: open('simulate_contract'),
    simulate_large: open('simulate_large'),
    simulate_token: open('simulate_token'),
  }
  const notQueued = {
    maxRequests: 1,
    maxBytes: 0,
    maxWaitMs: MAX_WAIT_MS,
    holdWhileInFlight: 1,
    onLength: () => undefined,
  }
  return (request, signal, name = queueOfMethod.get(request.method)) => {
    if (name === undefined) {
      return new BatchingTransport({ ...options, ...notQueued }).exchange(request, signal)
    }
    return queues[name].exchange(request, signal)
  }
}
