import type { TestProject } from 'vitest/node'
import { type NodesAt, startNodes } from './node.ts'

declare module 'vitest' {
  interface ProvidedContext {
    nodes: NodesAt
  }
}

/** Nodes for the whole run. */
export default async function shareNodes(project: TestProject): Promise<void> {
  const cluster = await startNodes({ images: [] })
  project.provide('nodes', cluster.at)
}
