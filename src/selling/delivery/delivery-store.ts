/**
 * Where a seller keeps what it answered to each payment, so that a repeated request gets the same answer and its goods are
 * delivered once. Any key-value store can be one that compares before it deletes: each function is one of its commands.
 */
export interface DeliveryStore {
  /**
   * Stores `value` for `ttlMs` if the key has none, in one step: of calls at the same moment, from any process, one stores.
   * Resolves with the value that was there, or with undefined when `value` was stored. Redis: `SET key value NX PX ttl GET`.
   */
  putIfAbsent(key: string, value: string, ttlMs: number): Promise<string | undefined>
  /** Stores `value` for `ttlMs`, whatever the key had. Redis: `SET key value PX ttl`. */
  put(key: string, value: string, ttlMs: number): Promise<void>
  /**
   * Forgets the key if it has `value`, in one step. A call that comes late leaves what has been stored since.
   * Redis: `EVAL`, since `DEL` does not compare.
   */
  remove(key: string, value: string): Promise<void>
}
