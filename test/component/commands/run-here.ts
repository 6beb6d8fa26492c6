import { PassThrough } from 'node:stream'
import { vi } from 'vitest'
import { main } from '../../../src/commands/main.ts'
import { stateHome } from '../../support/state-home.ts'
import { linesOf, type Ran, type Variables } from './admin-world.ts'
import type { Answer } from './terminal.ts'

/**
 * `svc` in this process, for tests of what a command says: a program takes a quarter of a second of processor time to start. Like a
 * program it has no variables but these, and without XDG_STATE_HOME a new folder for its state. One at a time: it takes over the output and the variables of the process meanwhile. What a
 * command throws, a program would end with; here the test fails.
 */
export async function runHere(variables: Variables, ...args: readonly string[]): Promise<Ran> {
  const printed = { out: '', err: '' }
  const into = (place: keyof typeof printed) => (text: string) => {
    printed[place] += text
  }
  using _spies = hearing(into('out'), into('err'))
  const code = await withVariables(variables, args)
  return { code, ...printed, lines: linesOf(printed.out) }
}

interface TypedHere extends Pick<Ran, 'code' | 'lines'> {
  /** What a terminal would show: both streams as they came. */
  readonly shown: string
}

/**
 * The same for a command that believes to be at a terminal, and is answered once its question stands there. Ctrl-C needs a real one,
 * which makes a signal of it.
 */
export async function typedHere(
  variables: Variables,
  args: readonly string[],
  answer?: Exclude<Answer, 'Ctrl-C'>,
): Promise<TypedHere> {
  const keyboard = Object.assign(new PassThrough(), { isTTY: true })
  const printed = { shown: '', out: '' }
  const show = (text: string) => {
    printed.shown += text
    if (answer === undefined || !text.endsWith('type yes to go on: ')) return
    const typed = answer === 'Ctrl-D' ? '' : `${answer.types}\n`
    // A terminal shows what is typed.
    printed.shown += typed
    keyboard.end(typed)
  }
  const hear = (text: string) => {
    printed.out += text
    show(text)
  }
  using _spies = hearing(hear, show)
  const { stdin } = process
  const { isTTY } = process.stdout
  Object.defineProperty(process, 'stdin', { value: keyboard, configurable: true })
  process.stdout.isTTY = true
  try {
    const code = await withVariables(variables, args)
    return { code, shown: printed.shown, lines: linesOf(printed.out) }
  } finally {
    Object.defineProperty(process, 'stdin', { value: stdin, configurable: true })
    process.stdout.isTTY = isTTY
  }
}

function hearing(out: (text: string) => void, err: (text: string) => void): Disposable {
  const to =
    (hear: (text: string) => void) =>
    (text: unknown, ...more: readonly unknown[]) => {
      hear(String(text))
      const done = more.find((each) => typeof each === 'function')
      done?.()
      return true
    }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(to(out)),
    vi.spyOn(process.stderr, 'write').mockImplementation(to(err)),
  ]
  return {
    [Symbol.dispose]: () => {
      for (const spy of spies) spy.mockRestore()
    },
  }
}

async function withVariables(variables: Variables, args: readonly string[]): Promise<number> {
  for (const variable of Object.keys(process.env)) vi.stubEnv(variable, undefined)
  vi.stubEnv('XDG_STATE_HOME', stateHome())
  for (const [variable, value] of Object.entries(variables)) vi.stubEnv(variable, value)
  try {
    return await main(args)
  } finally {
    vi.unstubAllEnvs()
  }
}
