import { existsSync } from 'node:fs'
import { join } from 'node:path'

const fixture = join(import.meta.dirname, '../../fixtures/node-22')
const node22 = join(fixture, 'node_modules/node/bin/node')
if (!existsSync(node22)) throw new Error(`Node 22 is missing: npm ci --prefix ${fixture}`)

/** The versions of Node that the package promises to run on. */
export const runtimes = [
  { node: 'Node 24', program: process.execPath },
  { node: 'Node 22', program: node22 },
] as const
