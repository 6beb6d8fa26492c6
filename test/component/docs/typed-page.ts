/** Types the commands of a page in a shell, as its reader would. */

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Variables } from '../cli/admin-world.ts'

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
  /** The lines of JSON among the output. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was printed
  readonly lines: any[]
}

/** What the pages tell their reader to type first. */
export const SVC_ON_PATH = 'export PATH="$PWD/bin:$PATH"'

/** The environment after that. */
const withSvc = (env: Variables): Variables => ({
  ...env,
  PATH: `${join(root, 'bin')}:${env['PATH'] ?? process.env['PATH']}`,
})

export const inShell = (env: Variables, text: string): Promise<Typed> =>
  new Promise((resolve) => {
    const child = spawn('bash', ['-e'], { cwd: root, env: withSvc(env) })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString()
    })
    child.stderr.resume()
    child.once('close', (code) => {
      const lines = out.split('\n').filter((line) => line.startsWith('{'))
      resolve({ code, out, lines: lines.map((line) => JSON.parse(line)) })
    })
    child.stdin.end(text)
  })
