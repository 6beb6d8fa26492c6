import { existsSync } from 'node:fs'
import { join } from 'node:path'

const fixture = join(import.meta.dirname, '../../fixtures/node-22')
const node22 = join(fixture, 'node_modules/node/bin/node')
if (!existsSync(node22)) throw new Error(`Node 22 is missing: npm ci --prefix ${fixture}`)

/** A version of Node that the package promises to run on. */
export interface Runtime {
  readonly node: string
  readonly program: string
}

/** The one that runs the tests, and all of the sources. */
export const newestNode: Runtime = { node: 'Node 24', program: process.execPath }
/** The oldest: what the package uses may be missing there alone. */
export const oldestNode: Runtime = { node: 'Node 22', program: node22 }
