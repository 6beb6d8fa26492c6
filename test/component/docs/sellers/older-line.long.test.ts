import { vi } from 'vitest'

/* The tests of the page that say the same of both lines, with the packages of the older one. */

vi.stubEnv('STOCK_LINE', '2.9.0')
await import('./api-key.test.ts')
await import('./be-found.test.ts')
await import('./delivery-servers.test.ts')
await import('./journey.test.ts')
await import('./limits.test.ts')
await import('./metered.test.ts')
await import('./more.test.ts')
await import('./settle-again.test.ts')
await import('./svc-pay.test.ts')
vi.unstubAllEnvs()
