/** Programs that a test starts as processes of their own, hears, and kills. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { programPath } from './programs/program-path.ts'

const TIMEOUT_MS = 150_000

type Variables = Readonly<Record<string, string | undefined>>

/** Gives it the settings as its one argument, and no variables but these and those that every program needs. */
export const forkProgram = (
  source: string,
  settings: object,
  variables: Variables = {},
): ChildProcess =>
  fork(programPath(source), [JSON.stringify(settings)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TMPDIR: process.env['TMPDIR'],
      ...variables,
    },
    execArgv: [],
  })

/** The first message that `pick` accepts; rejects when the process ends or sends none in time. */
export function messageFrom<Message, T>(
  child: ChildProcess,
  pick: (message: Message) => T | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (act: () => void) => {
      clearTimeout(timer)
      child.off('message', listen).off('exit', onExit)
      act()
    }
    const listen = (message: Message) => {
      const picked = pick(message)
      if (picked !== undefined) stop(() => resolve(picked))
    }
    const onExit = () => stop(() => reject(new Error('the process ended')))
    const timer = setTimeout(
      () => stop(() => reject(new Error('the process sent no message in time'))),
      TIMEOUT_MS,
    )
    child.on('message', listen).once('exit', onExit)
  })
}

/** SIGKILL; resolves when the process is gone. */
export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
