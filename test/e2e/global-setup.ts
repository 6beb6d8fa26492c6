import type { TestProject } from 'vitest/node'
import { type NodesAt, startNodes } from './support/node.ts'
import { currentWorld } from './support/node-world.ts'
import { startEnforcer } from './support/policy/start-enforcer.ts'
import { startWorld, type WorldAt } from './support/world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    nodes: NodesAt
    world: WorldAt
  }
}

/** One world for the whole run. What it returns ends it, unless it shall stay. */
export default async function shareWorld(project: TestProject): Promise<() => Promise<void>> {
  const { images, keep } = currentWorld()
  const nodes = await startNodes({ images })
  // Before the first pod, and until the world ends: a cluster has its plugin for as long as it has pods.
  const enforcement = await startEnforcer(nodes.at)
  project.provide('nodes', nodes.at)
  project.provide('world', await startWorld(nodes))
  return async () => {
    if (!keep) await enforcement[Symbol.asyncDispose]()
  }
}
