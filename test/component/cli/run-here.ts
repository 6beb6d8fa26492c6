import { vi } from 'vitest'
import { commands } from '../../../src/cli/commands.ts'
import { linesOf, type Ran, type Variables } from './admin-world.ts'

/**
 * `svc` in this process, for tests of what a command says: a program takes a second of processor time to start. Like a program it has
 * no variables but these. One at a time: it takes over the output and the variables of the process meanwhile. What a command throws,
 * a program would end with; here the test fails.
 */
export async function runHere(
  variables: Variables,
  ...[name = '', ...args]: readonly string[]
): Promise<Ran> {
  const printed = { out: '', err: '' }
  const into =
    (place: keyof typeof printed) =>
    (text: unknown, ...more: readonly unknown[]) => {
      printed[place] += String(text)
      const done = more.find((each) => typeof each === 'function')
      done?.()
      return true
    }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(into('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(into('err')),
  ]
  for (const variable of Object.keys(process.env)) vi.stubEnv(variable, undefined)
  for (const [variable, value] of Object.entries(variables)) vi.stubEnv(variable, value)
  try {
    const command = await commands[name]!.load()
    const code = await command(args)
    return { code, ...printed, lines: linesOf(printed.out) }
  } finally {
    for (const spy of spies) spy.mockRestore()
    vi.unstubAllEnvs()
  }
}
