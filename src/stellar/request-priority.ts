/** `high`: requests that bring recorded settlements to their end. `low`: those that serve new payments only. */
export type RequestPriority = 'high' | 'low'

const high: ReadonlySet<string> = new Set([
  'sendTransaction',
  'getTransaction',
  'getTransactions',
  'getLatestLedger',
  'getNetwork',
])

export const priorityOf = (method: string): RequestPriority => (high.has(method) ? 'high' : 'low')
