import { afterAll, beforeAll, vi } from 'vitest'
import { newestNode } from '../support/runtimes.ts'
import { agentWithBudget } from './agent-with-budget.ts'
import { openPaidWorld } from './paid-world.ts'

vi.setConfig({ testTimeout: 180_000 })

const opened = new AsyncDisposableStack()
let world: Awaited<ReturnType<typeof openPaidWorld>>
beforeAll(async () => {
  world = opened.use(await openPaidWorld())
})
afterAll(() => opened.disposeAsync())

agentWithBudget(() => world, newestNode)
