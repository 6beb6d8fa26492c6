import type { Clock } from '../../platform/core/time/clock.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import type { DeliveryStore } from './delivery-store.ts'

export interface MemoryDeliveryOptions {
  /** @default 10_000 */
  readonly maxEntries?: number | undefined
  /** Characters of all keys and values. @default 64 million */
  readonly maxLength?: number | undefined
}

interface Entry {
  readonly value: string
  readonly until: number
}

/**
 * Keeps what was delivered in this process, for sellers of one process: a restart forgets it. Where it is full it forgets
 * what was written first, whose payments are on the ledger for longest, so that a repeat of one is refused.
 */
export function memoryDeliveryStore(
  { maxEntries = 10_000, maxLength = 64_000_000 }: MemoryDeliveryOptions = {},
  clock: Clock = systemClock,
): DeliveryStore {
  const entries = new Map<string, Entry>()
  let length = 0
  const remove = (key: string) => {
    length -= sizeOf(key, entries.get(key))
    entries.delete(key)
  }
  const put = (key: string, value: string, ttlMs: number) => {
    remove(key)
    const entry = { value, until: clock.now() + ttlMs }
    entries.set(key, entry)
    length += sizeOf(key, entry)
    for (const oldest of entries.keys()) {
      if (oldest === key || (entries.size <= maxEntries && length <= maxLength)) return
      remove(oldest)
    }
  }
  return {
    async putIfAbsent(key, value, ttlMs) {
      const entry = entries.get(key)
      if (entry && entry.until > clock.now()) return entry.value
      put(key, value, ttlMs)
      return undefined
    },
    put: async (key, value, ttlMs) => put(key, value, ttlMs),
    remove: async (key) => remove(key),
  }
}

const sizeOf = (key: string, entry: Entry | undefined) =>
  entry ? key.length + entry.value.length : 0
