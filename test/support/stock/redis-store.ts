import type { DeliveryStore } from 'stellar-x402/delivery'

/** What this uses of the client of the package redis. */
interface Redis {
  set(
    key: string,
    value: string,
    options: { PX: number; NX?: true; GET?: true },
  ): Promise<string | null>
  del(key: string): Promise<number>
}

export const redisStore = (redis: Redis): DeliveryStore => ({
  putIfAbsent: async (key, value, ttlMs) =>
    (await redis.set(key, value, { PX: ttlMs, NX: true, GET: true })) ?? undefined,
  put: async (key, value, ttlMs) => {
    await redis.set(key, value, { PX: ttlMs })
  },
  remove: async (key) => {
    await redis.del(key)
  },
})
