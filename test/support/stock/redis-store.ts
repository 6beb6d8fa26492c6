import type { DeliveryStore } from 'stellar-x402/delivery'

/** What this uses of the client of the package redis. */
interface Redis {
  set(
    key: string,
    value: string,
    options: { PX: number; NX?: true; GET?: true },
  ): Promise<string | null>
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
}

const REMOVE = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`

export const redisStore = (redis: Redis): DeliveryStore => ({
  putIfAbsent: async (key, value, ttlMs) =>
    (await redis.set(key, value, { PX: ttlMs, NX: true, GET: true })) ?? undefined,
  put: async (key, value, ttlMs) => {
    await redis.set(key, value, { PX: ttlMs })
  },
  remove: async (key, value) => {
    await redis.eval(REMOVE, { keys: [key], arguments: [value] })
  },
})
