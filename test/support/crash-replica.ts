/** Facilitator processes that a test may kill, freeze, and stop at a point of a settlement. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Timings } from '../../src/facilitator/timings.ts'
import { type PostedAnswer, post } from './crash-client.ts'
import type { CrashPoint } from './crash-points.ts'
import type { PaymentBody } from './payments.ts'

export interface ReplicaSettings {
  /** As `svc serve` takes it. */
  readonly environment: Readonly<Record<string, string>>
  readonly timings: Partial<Timings>
  readonly reconcileIntervalMs: number
  /** Stroops; for budgets smaller than an operator can set. */
  readonly hourlyBudget?: string
}

export type ToReplica = 'go' | { readonly arm: CrashPoint; readonly times: number }
export type FromReplica = { readonly url: string } | { readonly reached: CrashPoint }

export interface CrashReplica extends AsyncDisposable {
  readonly url: string
  /** Undefined when the connection broke, as it does when the process dies. */
  settle(body: PaymentBody): Promise<PostedAnswer | undefined>
  /** Settles, and resolves when every settlement waits at that point, or was answered without. */
  settleUpTo(
    point: CrashPoint,
    bodies: readonly PaymentBody[],
  ): Promise<readonly StartedSettlement[]>
  /** Lets everything that waits at a point go on. */
  goOn(): void
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>
  /** SIGSTOP: from here on it does nothing at all, until it is thawed. */
  freeze(): void
  thaw(): void
}

export interface StartedSettlement {
  /** False when it was answered without coming to the point. */
  readonly isHeld: boolean
  /** Undefined when the process died before it answered. */
  readonly answer: Promise<PostedAnswer | undefined>
}

const program = fileURLToPath(new URL('crash-replica-process.ts', import.meta.url))
const PATIENCE_MS = 60_000

/** Resolves once it takes payments. */
export async function startReplica(settings: ReplicaSettings): Promise<CrashReplica> {
  const child = fork(program, [JSON.stringify(settings)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TMPDIR: process.env['TMPDIR'] },
    execArgv: [],
  })
  const kill = () => killed(child)
  try {
    const url = await heard(child, (words) => ('url' in words ? words.url : undefined))
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
    await tell(child, { arm: point, times: bodies.length })
    let held = 0
    const allHeld = heard(child, (words) => {
      if ('reached' in words && words.reached === point) held += 1
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
  goOn: () => {
    tell(child, 'go').catch(() => undefined)
  },
  kill: () => killed(child),
  freeze: () => void child.kill('SIGSTOP'),
  thaw: () => void child.kill('SIGCONT'),
  [Symbol.asyncDispose]: () => killed(child),
})

/** Resolves once the words are on their way, so that a request sent afterwards comes second. */
const tell = (child: ChildProcess, words: ToReplica): Promise<void> =>
  new Promise((resolve, reject) => {
    child.send(words, (error) => (error ? reject(error) : resolve()))
  })

/** What the process says that `pick` recognises; rejects when it ends or keeps silent. */
function heard<T>(child: ChildProcess, pick: (words: FromReplica) => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (act: () => void) => {
      clearTimeout(impatience)
      child.off('message', listen).off('exit', onExit)
      act()
    }
    const listen = (words: FromReplica) => {
      const picked = pick(words)
      if (picked !== undefined) stop(() => resolve(picked))
    }
    const onExit = () => stop(() => reject(new Error('the facilitator process ended')))
    const impatience = setTimeout(
      () => stop(() => reject(new Error('the facilitator process kept silent'))),
      PATIENCE_MS,
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
