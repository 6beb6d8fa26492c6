import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)
const NAMESPACES = '/run/netns'

/** A connection to make. */
export interface Target {
  readonly host: string
  readonly port: number
  /** @default TCP */
  readonly protocol?: 'UDP'
  /** Its own address, if it has several. */
  readonly from?: string
  /** Whether the other end is a prober, which says its name. */
  readonly greets: boolean
}

export interface Try extends Target {
  readonly id: number
}

/** `refused`: by a rule of the enforcer. `seen`: the address that the other end saw. */
export type Outcome =
  | { readonly kind: 'reached'; readonly by: string; readonly seen: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed'; readonly message: string }

/** A process in the network namespace of a pod. It listens, and connects to others. */
export class Prober implements Disposable {
  readonly #process: ChildProcess
  readonly #open = new Map<number, (outcome: Outcome) => void>()
  readonly #ready = Promise.withResolvers<void>()
  #last = 0

  /** @param netns a file below /run/netns; undefined for the node itself */
  constructor(
    name: string,
    netns: string | undefined,
    ports: readonly number[],
    addresses: readonly string[] = ['0.0.0.0'],
  ) {
    const agent = join(import.meta.dirname, 'prober-agent.ts')
    const program = [agent, name, JSON.stringify(ports), JSON.stringify(addresses)]
    const command = [process.execPath, ...program]
    const [first = '', ...others] =
      netns === undefined ? command : ['nsenter', `--net=${join(NAMESPACES, netns)}`, ...command]
    this.#process = spawn(first, others, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#process.once('exit', (code) =>
      this.#ready.reject(new Error(`The prober ${name} ended with ${code}.`)),
    )
    if (!this.#process.stdout) return
    createInterface({ input: this.#process.stdout }).on('line', (line) => {
      if (line === 'ready') return this.#ready.resolve()
      const { id, outcome }: { id: number; outcome: Outcome } = JSON.parse(line)
      this.#open.get(id)?.(outcome)
      this.#open.delete(id)
    })
  }

  /** Rejects when the process cannot listen. */
  get ready(): Promise<void> {
    return this.#ready.promise
  }

  try(target: Target): Promise<Outcome> {
    const id = ++this.#last
    return new Promise((resolve) => {
      this.#open.set(id, resolve)
      this.#process.stdin?.write(`${JSON.stringify({ ...target, id })}\n`)
    })
  }

  [Symbol.dispose](): void {
    this.#process.stdin?.end()
  }
}

/** The files below /run/netns by the address of the pod whose network namespace each one is. */
export async function netnsByAddress(): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(NAMESPACES)).filter((name) => name.startsWith('cni-'))
  const entries = await Promise.all(
    names.map(async (name) => {
      const args = ['-n', name, '-4', '-json', 'address', 'show', 'dev', 'eth0']
      // One that is being removed has no address any more.
      const { stdout } = await run('ip', args).catch(() => ({ stdout: '[]' }))
      const [link] = JSON.parse(stdout) as { addr_info: { local: string }[] }[]
      return [link?.addr_info[0]?.local ?? '', name] as const
    }),
  )
  return new Map(entries)
}
