/** Types the commands of a page in a shell, as its reader would. */

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandsFolder } from '../../support/programs/program-path.ts'
import { linesOf, type Variables } from '../commands/admin-world.ts'
import { runHere } from '../commands/run-here.ts'

/** The folder of the project, in which a reader types. */
export const root = fileURLToPath(new URL('../../../', import.meta.url))

export const readPage = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The lines of the page's blocks of commands, without comments, and its commands within sentences. */
export function commandsOf(page: string): ReadonlySet<string> {
  const blockLines = [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)]
    .flatMap(([, body = '']) => body.trim().split(/\n */))
    .map((line) => line.replace(/ +# .*$/, ''))
  const inline = [
    ...page.matchAll(/`(svc (?:doctor|status|[a-z]+ [^`]+)|(?:curl|export) [^`]*)`/g),
  ].map(([, line = '']) => line)
  return new Set([...blockLines, ...inline])
}

interface Typed {
  readonly code: number | null
  readonly out: string
  readonly err: string
  /** The lines of JSON among the output. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was printed
  readonly lines: any[]
}

/** What the pages tell their reader to type first. */
export const SVC_ON_PATH = 'export PATH="$PWD/bin:$PATH"'

/** As after that line, but the shell finds the bundle, which starts faster. A page that types the line itself finds bin/. */
const withSvc = (env: Variables): Variables => ({
  ...env,
  PATH: `${commandsFolder()}:${env['PATH'] ?? process.env['PATH']}`,
})

/** A line of words that no shell changes, which may set variables first. */
const plainCall = /^(?<set>(?:\w+=[\w/.-]+ )*)svc (?<words>[\w:/. -]+)\n?$/

/**
 * Does what a shell would with the text. A plain call of `svc` runs in this process, because a program takes more time to start than
 * most commands to run; everything else is typed into a shell.
 */
export async function type(env: Variables, text: string): Promise<Typed> {
  const { set = '', words } = plainCall.exec(text)?.groups ?? {}
  if (words === undefined) return inShell(env, text)
  const variables = set.split(' ').flatMap((each) => (each ? [each.split('=', 2)] : []))
  return runHere({ ...env, ...Object.fromEntries(variables) }, ...words.trim().split(' '))
}

export const inShell = (env: Variables, text: string): Promise<Typed> =>
  new Promise((resolve) => {
    const child = spawn('bash', ['-e'], { cwd: root, env: withSvc(env) })
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString()
    })
    child.once('close', (code) => resolve({ code, out, err, lines: linesOf(out) }))
    child.stdin.end(text)
  })
