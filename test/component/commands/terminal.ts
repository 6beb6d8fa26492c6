import { spawn, spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import { svcProgram } from '../../support/programs/program-path.ts'
import type { Variables } from './admin-world.ts'

const svc = svcProgram()
const DEADLINE_MS = 150_000

/** `script` of util-linux runs a command in a pseudo-terminal; that of other systems takes other options. */
export const noTerminal =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true
    ? undefined
    : 'this machine has no script of util-linux, which makes a pseudo-terminal'

export interface TypedAtTerminal {
  readonly code: number | null
  /** Everything that the terminal showed. */
  readonly shown: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was printed
  readonly lines: any[]
}

/** What a person does once the question stands there: types a line, or ends the input (Ctrl-D), or Ctrl-C. */
export type Answer = { readonly types: string } | 'Ctrl-D' | 'Ctrl-C'

const keys = { 'Ctrl-D': '\u0004', 'Ctrl-C': '\u0003' }

/**
 * Runs `svc ...` in a pseudo-terminal, waits for its question and answers it.
 *
 * @param redirect for the shell, such as `2>file`, to take one of its streams from the terminal
 */
export async function atTerminal(
  env: Variables,
  args: readonly string[],
  { answer, redirect = '' }: { readonly answer?: Answer; readonly redirect?: string } = {},
): Promise<TypedAtTerminal> {
  const words = [process.execPath, svc, ...args].map((word) => `'${word}'`).join(' ')
  // A shell that stays would end with Ctrl-C itself, and hide the exit code.
  const line = redirect === '' ? `exec ${words}` : words
  const child = spawn(
    'script',
    ['--quiet', '--return', '--command', `${line} ${redirect}`, '/dev/null'],
    {
      env: { ...env, SHELL: '/bin/sh', TERM: 'dumb' },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  let shown = ''
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString()
  })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  try {
    if (answer !== undefined) {
      await expect
        .poll(() => shown, { timeout: DEADLINE_MS, interval: 20 })
        .toContain('type yes to go on: ')
      child.stdin.write(typeof answer === 'string' ? keys[answer] : `${answer.types}\r`)
    }
    const code = await closed
    const lines = shown.split(/\r?\n/).filter((each) => each.startsWith('{'))
    return { code, shown, lines: lines.map((each) => JSON.parse(each)) }
  } finally {
    child.kill('SIGKILL')
  }
}
