import type { ChildProcess } from 'node:child_process'
import { forkProgram, killed, messageFrom } from '../forked-program.ts'
import type { BuyerSettings, FromBuyer, SellerSettings } from './settings.ts'

/** A process that is killed (SIGKILL) and started again. */
export interface Mortal {
  /** Resolves when another process does the work of the killed one. */
  killAndStart(): Promise<void>
}

/** Processes behind one proxy, each killed and started again. */
export class Servers<Server extends { readonly url: string; kill(): Promise<void> }>
  implements AsyncDisposable
{
  readonly #start: () => Promise<Server>
  readonly #running: (Server | undefined)[] = []

  constructor(start: () => Promise<Server>) {
    this.#start = start
  }

  async start(): Promise<Mortal> {
    const at = this.#running.push(undefined) - 1
    this.#running[at] = await this.#start()
    return {
      killAndStart: async () => {
        const server = this.#running[at]
        this.#running[at] = undefined
        await server?.kill()
        this.#running[at] = await this.#start()
      },
    }
  }

  readonly urls = (): readonly string[] => this.#running.flatMap((server) => server?.url ?? [])

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map((server) => server?.kill()))
  }
}

export async function startSeller(settings: SellerSettings) {
  const child = forkProgram('test/support/paid-once/seller-process.ts', settings)
  const kill = () => killed(child)
  try {
    const url = await messageFrom(child, ({ url }: { readonly url?: string }) => url)
    return { url, kill }
  } catch (error) {
    await kill()
    throw error
  }
}

interface BuyersOptions {
  readonly settings: BuyerSettings
  /** PEM file of the authority of the network's RPC. */
  readonly caFile: string
  readonly onPurchase: () => void
}

/** The buyers of one kind, in one process. */
export class Buyers implements Mortal, AsyncDisposable {
  readonly #options: BuyersOptions
  readonly #all = Promise.withResolvers<void>()
  #child: ChildProcess

  constructor(options: BuyersOptions) {
    this.#options = options
    this.#child = this.#start()
  }

  /** Resolves when each purchase is over; rejects when a process ends that was not killed. */
  get haveAll(): Promise<void> {
    return this.#all.promise
  }

  async killAndStart(): Promise<void> {
    await killed(this.#child)
    this.#child = this.#start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await killed(this.#child)
  }

  #start(): ChildProcess {
    const { settings, caFile, onPurchase } = this.#options
    const variables = { NODE_EXTRA_CA_CERTS: caFile }
    const child = forkProgram('test/support/paid-once/buyer-process.ts', settings, variables)
    child.on('message', (message: FromBuyer) => {
      if (message === 'has one more') onPurchase()
      else this.#all.resolve()
    })
    child.once('exit', (code, signal) => {
      if (signal === null) this.#all.reject(new Error(`a buyer ended with code ${code}`))
    })
    return child
  }
}
