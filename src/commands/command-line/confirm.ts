import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { flag } from './flags.ts'

/** Exit code of a command that a person at the terminal did not confirm: it has changed nothing. */
export const EX_NOT_CONFIRMED = 3

/** For `exits`. */
export const notConfirmedExit = {
  [EX_NOT_CONFIRMED]: 'not confirmed at the terminal; nothing was changed',
}

/** For `flags`. */
export const yesFlag = flag('at a terminal: do not ask')

/** Lines for a help page. */
export const asksNote = [
  'At a terminal (standard input and output) it first shows on standard error what it will do, and',
  'goes on when you type yes. In scripts, and with --yes, it does not ask.',
]

/** The facts about an action that a person confirms: a word for each fact, and the fact. */
export type Plan = readonly (readonly [name: string, value: string])[]

/** A script has no terminal for input, output or both, and is never asked. */
export const asksAtTerminal = (isConfirmed: boolean): boolean =>
  !isConfirmed && process.stdin.isTTY === true && process.stdout.isTTY === true

const NAME_WIDTH = 12

/** Standard output stays for the JSON lines. */
export function showPlan(heading: string, plan: Plan): void {
  const lines = plan.map(([name, value]) => `  ${name.padEnd(NAME_WIDTH)}${value}\n`)
  process.stderr.write(`${heading}\n${lines.join('')}`)
}

/** Asks whether to go on. Only `yes` does; an empty line, the end of the input and a signal do not. */
export async function isConfirmed(command: string, stop: AbortSignal): Promise<boolean> {
  process.stderr.write(`svc ${command}: type yes to go on: `)
  const answer = await readLine(stop)
  if (answer?.trim().toLowerCase() === 'yes') return true
  // Only Enter has ended the line of the question.
  if (answer === undefined) process.stderr.write('\n')
  process.stderr.write(`svc ${command}: not confirmed, so nothing was changed\n`)
  return false
}

/** Undefined when the input or the command ends first. */
async function readLine(stop: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin })
  const done = new AbortController()
  const signal = AbortSignal.any([stop, done.signal])
  const line = once(lines, 'line', { signal }).then(([text]) => String(text))
  const end = once(lines, 'close', { signal }).then(() => undefined)
  try {
    return await Promise.race([line, end])
  } catch {
    return undefined
  } finally {
    done.abort()
    await Promise.allSettled([line, end])
    lines.close()
  }
}
