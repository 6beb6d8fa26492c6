import { vi } from 'vitest'
import type { LoadWorld } from './load-world.ts'
import type { Phase, RotationFault } from './rotation-round.ts'

/** Whoever serves dies at once, as when all nodes lose their power. The node starts each of them again. */
function killReplicas(world: LoadWorld): void {
  for (const replica of world.replicas()) replica.kill('SIGKILL')
}

/** Every replica is killed when each of these phases begins. */
export const replicasKilledIn = (...all: readonly Phase[]): RotationFault => ({
  name: `every replica killed when ${all.join(', ')} ${all.length === 1 ? 'begins' : 'begin'}`,
  interruptsService: true,
  play: async ({ world, begun }) => {
    for (const phase of all) {
      await begun(phase)
      killReplicas(world)
    }
  },
})

/** Of the old sponsor and of the new one, in the middle of the rollout. */
export const replicasKilledWhileBothServe: RotationFault = {
  name: 'every replica killed while both sponsors serve',
  interruptsService: true,
  play: async ({ world, begun }) => {
    const before = new Set(world.replicas().map(({ name }) => name))
    await begun('Moving')
    const patience = { timeout: 240_000, interval: 50 }
    await vi.waitFor(() => {
      const serving = world.replicas().filter(({ isServing }) => isServing)
      const kinds = new Set(serving.map(({ name }) => before.has(name)))
      if (kinds.size < 2) throw new Error('no pods of both sponsors serve')
    }, patience)
    killReplicas(world)
  },
}
