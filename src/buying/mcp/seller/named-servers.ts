import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** How to start a server on standard input and output. */
export interface NamedServer {
  readonly command: string
  readonly args?: readonly string[] | undefined
  /** Beside the few variables that every program gets: none of this process is passed on, so that no seed is. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly cwd?: string | undefined
}

/** A configuration file in the form that hosts of agents write. */
const file = z.strictObject({
  mcpServers: z.record(
    z.string().regex(/^[\w.-]{1,64}$/, 'a name has letters, digits, _, . and - only'),
    z.strictObject({
      command: z.string().min(1),
      args: z.array(z.string()).optional(),
      env: z.record(z.string(), z.string()).optional(),
      cwd: z.string().optional(),
    }),
  ),
})

/** Reads the servers that may be started. Throws an Error with a sentence without a full stop. */
export function readNamedServers(path: string): ReadonlyMap<string, NamedServer> {
  const read = file.safeParse(JSON.parse(readFileSync(path, 'utf8')))
  if (read.success) return new Map(Object.entries(read.data.mcpServers))
  const [issue] = read.error.issues
  throw new Error(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`)
}
