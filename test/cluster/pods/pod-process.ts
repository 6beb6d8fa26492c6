import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { svcProgram } from '../../support/programs/program-path.ts'
import type { PreparedContainer } from './pod-container.ts'
import type { Pod, Probe } from './pod-spec.ts'

const svc = svcProgram()
/** A kubelet starts a container again after a pause that grows with each end; here it does not grow. */
const RESTART_AFTER_MS = 500
const PROBE_TIMEOUT_MS = 3_000

type ProbeName = 'readinessProbe' | 'livenessProbe' | 'startupProbe'

/** The container of a pod as a local process. With the restart policy Always it is started again whenever it ends. */
export class PodProcess {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  /** What all its processes wrote. */
  readonly output: string[] = []
  readonly #pod: Pod
  readonly #prepared: PreparedContainer
  #child: ChildProcess
  /** Of a process that has ended. */
  #code: number | undefined
  #restarts = 0
  /** The exit code of the process before this one. */
  #lastCode: number | undefined
  #isReady = false
  #readySince = new Date().toISOString()
  #isEnding = false
  #ended: Promise<void>

  constructor(pod: Pod, prepared: PreparedContainer) {
    this.name = pod.metadata.name
    this.labels = pod.metadata.labels ?? {}
    this.#pod = pod
    this.#prepared = prepared
    this.#child = this.#spawn()
    this.#ended = this.#follow()
  }

  /** Whether it is Ready and not being deleted: a Service sends new connections to it. */
  get isServing(): boolean {
    return this.#isReady && !this.#isEnding
  }

  /** `http://127.0.0.1:<port>` of a named port of the pod. */
  url(port: string | number): string {
    return `http://127.0.0.1:${this.port(port)}`
  }

  /** On this machine, of a named port of the pod. */
  port(port: string | number): number | undefined {
    const [container] = this.#pod.spec.containers
    const declared = container.ports?.find(({ name }) => name === port)?.containerPort ?? port
    return this.#prepared.ports.get(Number(declared))
  }

  /** The present HTTP status of a probe of the pod; 0 without an answer. */
  probe(which: ProbeName): Promise<number> {
    return this.#ask(this.#pod.spec.containers[0][which])
  }

  /** Probes it, and answers the status to report. */
  async status(): Promise<object> {
    const code = this.#code
    const isReady = code === undefined && (await this.probe('readinessProbe')) === 200
    if (isReady !== this.#isReady) this.#readySince = new Date().toISOString()
    this.#isReady = isReady
    const phase = code === undefined || this.#restartsAlways ? 'Running' : phaseOf(code)
    const state = code === undefined ? { running: {} } : ended(code)
    return {
      phase,
      conditions: ['Ready', 'ContainersReady', 'Initialized', 'PodScheduled'].map((type) =>
        type.endsWith('Ready')
          ? { type, status: isReady ? 'True' : 'False', lastTransitionTime: this.#readySince }
          : { type, status: 'True' },
      ),
      containerStatuses: [
        {
          name: this.#pod.spec.containers[0].name,
          ready: isReady,
          restartCount: this.#restarts,
          image: 'local',
          imageID: 'local',
          state,
          ...(this.#lastCode !== undefined && { lastState: ended(this.#lastCode) }),
        },
      ],
    }
  }

  /** Sends the signal to its present process. */
  kill(signal: NodeJS.Signals): void {
    if (this.#code === undefined) this.#child.kill(signal)
  }

  /** As a kubelet ends a deleted pod: the pause before the stop, SIGTERM, and SIGKILL at the end of the grace period. */
  async terminate(): Promise<void> {
    this.#isEnding = true
    const { lifecycle } = this.#pod.spec.containers[0]
    const graceMs = (this.#pod.spec.terminationGracePeriodSeconds ?? 30) * 1_000
    const pauseMs = (lifecycle?.preStop?.sleep?.seconds ?? 0) * 1_000
    const atEnd = setTimeout(() => this.kill('SIGKILL'), graceMs)
    await Promise.race([sleep(pauseMs), this.#ended])
    this.kill('SIGTERM')
    await this.#ended
    clearTimeout(atEnd)
  }

  /** SIGKILL without a restart. */
  async destroy(): Promise<void> {
    this.#isEnding = true
    this.kill('SIGKILL')
    await this.#ended
  }

  get #restartsAlways(): boolean {
    return (this.#pod.spec.restartPolicy ?? 'Always') === 'Always'
  }

  #spawn(): ChildProcess {
    const { args, env } = this.#prepared
    const child = spawn(process.execPath, [svc, ...args], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => this.output.push(text))
    }
    return child
  }

  /** Resolves when the last process has ended. */
  async #follow(): Promise<void> {
    for (;;) {
      const child = this.#child
      this.#code = await new Promise((resolve) =>
        child.once('exit', (code) => resolve(code ?? 137)),
      )
      this.#isReady = false
      if (!this.#restartsAlways || this.#isEnding) return
      await sleep(RESTART_AFTER_MS)
      if (this.#isEnding) return
      this.#restarts += 1
      this.#lastCode = this.#code
      this.#code = undefined
      this.#child = this.#spawn()
    }
  }

  async #ask(what: Probe | undefined): Promise<number> {
    if (!what) return 0
    const at = `${this.url(what.httpGet.port)}${what.httpGet.path}`
    return fetch(at, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) }).then(
      async (answer) => {
        await answer.arrayBuffer()
        return answer.status
      },
      () => 0,
    )
  }
}

const phaseOf = (code: number): string => (code === 0 ? 'Succeeded' : 'Failed')

const ended = (exitCode: number) => ({
  terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' },
})
