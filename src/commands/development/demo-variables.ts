import { existsSync } from 'node:fs'
import { typed } from '../../platform/core/text/typed-command.ts'
import type { Variables } from '../../settings/parser/environment.ts'
import { readRunningDemo } from './running-demo.ts'

/** Any of them says which service is meant. */
const STORE_VARIABLES = ['STORE', 'DATABASE_URL', 'DATABASE_URL_FILE']

/** The image leaves the demo out. */
const mayHaveDemos = existsSync(new URL('../../demo', import.meta.url))

/**
 * The variables of a command that only reads: those of the running demo where the environment names no store and
 * a demo of this installation runs, else the environment's own. Says on standard error whether it found one.
 */
export async function variablesOrDemo(
  command: string,
  variables: Variables,
  findDemo = readRunningDemo,
): Promise<Variables> {
  if (STORE_VARIABLES.some((name) => variables[name])) return variables
  const demo = await findDemo()
  if (!demo) {
    if (mayHaveDemos) {
      process.stderr.write(
        `svc ${command}: no DATABASE_URL is set, and no demo runs from this installation; ${typed().demo()} starts one\n`,
      )
    }
    return variables
  }
  process.stderr.write(
    `svc ${command}: no DATABASE_URL is set, so this looks at the running demo: its service at ${demo.facilitatorUrl}, process ${demo.pid}\n`,
  )
  passOnToLibrary(demo.environment)
  return demo.environment
}

/** The library of a PKCS#11 token reads this one from the environment of its process, which is that of this one. */
function passOnToLibrary({ SOFTHSM2_CONF }: Variables): void {
  if (SOFTHSM2_CONF !== undefined) process.env['SOFTHSM2_CONF'] = SOFTHSM2_CONF
}
