/** For sellers: each payment is served once, and a repeat of its request gets the same answer. */
export type { DeliveryStore } from '../selling/delivery/delivery-store.ts'
export { deliverOnceHono } from '../selling/delivery/http/hono.ts'
export { deliverOnceExpress } from '../selling/delivery/http/node/express.ts'
export { deliverOnceFastify } from '../selling/delivery/http/node/fastify.ts'
export type { DeliveryOptions, SettlingServer } from '../selling/delivery/http/options.ts'
export { MemoryDeliveryStore } from '../selling/delivery/memory-store.ts'
export { PostgresDeliveryStore, type PostgresQueries } from '../selling/delivery/postgres-store.ts'
