/** Facilitator processes that a test can kill, freeze, and stop at a point of a settlement. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Timings } from '../../src/payments/engine/timings.ts'
import { type PostedAnswer, post } from './crash-client.ts'
import type { CrashPoint } from './crash-points.ts'
import type { PaymentBody } from './payments.ts'
import { programPath } from './programs/program-path.ts'

export interface ReplicaSettings {
  /** For `svc serve`. */
  readonly environment: Readonly<Record<string, string>>
  readonly timings: Partial<Timings>
  readonly reconcileIntervalMs: number
  /** Stroops; for budgets smaller than the configuration allows. */
  readonly hourlyBudget?: string
}

export type ToReplica = 'resume' | { readonly arm: CrashPoint; readonly times: number }
export type FromReplica = { readonly url: string } | { readonly reached: CrashPoint }

export interface CrashReplica extends AsyncDisposable {
  readonly url: string
  /** Undefined when the connection broke, as it does when the process dies. */
  settle(body: PaymentBody): Promise<PostedAnswer | undefined>
  /** Sends the payments; resolves when every settlement waits at the point, or all are answered. */
  settleUpTo(
    point: CrashPoint,
    bodies: readonly PaymentBody[],
  ): Promise<readonly StartedSettlement[]>
  /** Continues all settlements that wait at a point. */
  resume(): void
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>
  /** SIGSTOP: the process does nothing until `thaw`. */
  freeze(): void
  thaw(): void
}

interface StartedSettlement {
  /** False when it was answered without reaching the point. */
  readonly isHeld: boolean
  /** Undefined when the process died before it answered. */
  readonly answer: Promise<PostedAnswer | undefined>
}

const program = programPath('test/support/crash-replica-process.ts')
const TIMEOUT_MS = 150_000

/** Resolves once it accepts payments. */
export async function startReplica(settings: ReplicaSettings): Promise<CrashReplica> {
  const child = fork(program, [JSON.stringify(settings)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: process.env['TMPDIR'] },
    execArgv: [],
  })
  const kill = () => killed(child)
  try {
    const url = await messageFrom(child, (message) => ('url' in message ? message.url : undefined))
    return replicaAt(url, child)
  } catch (error) {
    await kill()
    throw error
  }
}

const replicaAt = (url: string, child: ChildProcess): CrashReplica => ({
  url,
  settle: (body) => post(`${url}/settle`, body),
  settleUpTo: async (point, bodies) => {
    await sendTo(child, { arm: point, times: bodies.length })
    let held = 0
    const allHeld = messageFrom(child, (message) => {
      if ('reached' in message && message.reached === point) held += 1
      return held === bodies.length ? 'all' : undefined
    })
    const answers = bodies.map((body) => post(`${url}/settle`, body))
    const answered = new Set<number>()
    const allAnswered = Promise.all(
      answers.map((answer, index) => answer.then(() => answered.add(index))),
    )
    allHeld.catch(() => undefined)
    await Promise.race([allHeld, allAnswered])
    return answers.map((answer, index) => ({ answer, isHeld: !answered.has(index) }))
  },
  resume: () => {
    sendTo(child, 'resume').catch(() => undefined)
  },
  kill: () => killed(child),
  freeze: () => void child.kill('SIGSTOP'),
  thaw: () => void child.kill('SIGCONT'),
  [Symbol.asyncDispose]: () => killed(child),
})

/** Resolves once the message is sent, so that a later request arrives after it. */
const sendTo = (child: ChildProcess, message: ToReplica): Promise<void> =>
  new Promise((resolve, reject) => {
    child.send(message, (error) => (error ? reject(error) : resolve()))
  })

/** The first message that `pick` accepts; rejects when the process ends or sends none in time. */
function messageFrom<T>(
  child: ChildProcess,
  pick: (message: FromReplica) => T | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (act: () => void) => {
      clearTimeout(timer)
      child.off('message', listen).off('exit', onExit)
      act()
    }
    const listen = (message: FromReplica) => {
      const picked = pick(message)
      if (picked !== undefined) stop(() => resolve(picked))
    }
    const onExit = () => stop(() => reject(new Error('the facilitator process ended')))
    const timer = setTimeout(
      () => stop(() => reject(new Error('the facilitator process sent no message in time'))),
      TIMEOUT_MS,
    )
    child.on('message', listen).once('exit', onExit)
  })
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
