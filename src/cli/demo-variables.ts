import type { Variables } from '../config/environment.ts'
import { readRunningDemo } from './running-demo.ts'

/** Any of them says which service is meant. */
const STORE_VARIABLES = ['STORE', 'DATABASE_URL', 'DATABASE_URL_FILE']

/**
 * The variables of a command that only reads: those of the running demo where the environment names no store and
 * a demo of this clone runs, else the environment's own. Says so on standard error.
 */
export async function variablesOrDemo(
  command: string,
  variables: Variables,
  findDemo = readRunningDemo,
): Promise<Variables> {
  if (STORE_VARIABLES.some((name) => variables[name])) return variables
  const demo = await findDemo()
  if (!demo) return variables
  process.stderr.write(
    `svc ${command}: no DATABASE_URL is set, so this looks at the running demo: its service at ${demo.facilitatorUrl}, process ${demo.pid}\n`,
  )
  return demo.environment
}
