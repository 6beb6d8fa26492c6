import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inheritedEnvironment } from '../../platform/core/inherited-environment.ts'

type Variables = Readonly<Record<string, string | undefined>>

const GIVEN = 'TOKEN_PROGRAM'

/**
 * Runs a program that uses a token's library, in a process of its own: SoftHSM reads its settings from the environment once.
 * @param given what to do; it may hold a PIN, which the arguments of a process would show to every user
 * @returns what the program prints
 */
export async function runTokenProgram(
  program: URL,
  given: object,
  environment: Variables,
): Promise<string> {
  const env = { ...environment, [GIVEN]: JSON.stringify(given) }
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(program)], { env })
  return stdout.trim()
}

/** What the program that `runTokenProgram` runs is given. */
export const givenToProgram = <T>(): T => JSON.parse(inheritedEnvironment()[GIVEN] ?? '')
