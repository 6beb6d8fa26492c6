/** Facilitator processes that a test can kill, freeze, and stop at a point of a settlement. */
import type { ChildProcess } from 'node:child_process'
import type { Timings } from '../../src/payments/engine/timings.ts'
import { type PostedAnswer, post } from './crash-client.ts'
import type { CrashPoint } from './crash-points.ts'
import { forkProgram, killed, messageFrom } from './forked-program.ts'
import type { PaymentBody } from './payments.ts'

export interface ReplicaSettings {
  /** For `svc serve`. */
  readonly environment: Readonly<Record<string, string>>
  /** Of its process. */
  readonly variables: Readonly<Record<string, string | undefined>>
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

/** Resolves once it accepts payments. */
export async function startReplica(settings: ReplicaSettings): Promise<CrashReplica> {
  const child = forkProgram('test/support/crash-replica-process.ts', settings, settings.variables)
  const kill = () => killed(child)
  try {
    const url = await messageFrom(child, (message: FromReplica) =>
      'url' in message ? message.url : undefined,
    )
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
    const allHeld = messageFrom(child, (message: FromReplica) => {
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
