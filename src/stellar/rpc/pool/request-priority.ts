/**
 * `high`: requests that bring recorded settlements to their end. `low`: those that serve new payments only. `background`:
 * pages of all transactions for the explorer; neither their failures nor their latency nor a `Retry-After` in answer to
 * them has an effect on the others.
 */
export type RequestPriority = 'high' | 'low' | 'background'

const high: ReadonlySet<string> = new Set([
  'sendTransaction',
  'getTransaction',
  'getTransactions',
  'getLatestLedger',
  'getNetwork',
])

export const priorityOf = (method: string): RequestPriority => (high.has(method) ? 'high' : 'low')
