/** An embedded network, a Postgres and sponsors, for tests of the admin commands. */

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { expect } from 'vitest'
import { type LocalnetServer, startLocalnetServer } from '../../../src/localnet/server/server.ts'
import { listChannels } from '../../../src/payments/store/channels/channel.ts'
import { openStore, type Store } from '../../../src/platform/database/open.ts'
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts'
import { svcProgram } from '../../support/programs/program-path.ts'
import { PromptLocalnet } from '../../support/prompt-localnet.ts'
import {
  accountOf,
  channelAddresses,
  network,
  newSponsor,
  type Sponsor,
} from '../../support/sponsors.ts'
import { stateHome } from '../../support/state-home.ts'

export { network, newSponsor, type Sponsor, XLM } from '../../support/sponsors.ts'

const svc = svcProgram()
/** Much longer than any of these takes on a loaded machine. */
const DEADLINE_MS = 150_000

export interface Ran {
  readonly code: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was printed
  readonly lines: any[]
  readonly out: string
  readonly err: string
}

export type Variables = Readonly<Record<string, string | undefined>>

export interface AdminWorld extends AsyncDisposable {
  readonly localnet: LocalnetServer
  readonly ledgers: PromptLocalnet
  readonly database: TestDatabase
  readonly store: Store
  /** The environment of a command; `changes` overrides single variables. */
  env(sponsor: Sponsor, changes?: Variables): Variables
  fund(sponsor: Sponsor, amount: bigint): Promise<unknown>
  /** So many new sponsors with this amount each, all in one ledger. */
  funded(count: number, amount: bigint): Promise<Sponsor[]>
}

/** @param closeEveryMs ledgers besides those that close on sending; without them the network's time stands still */
export async function openAdminWorld(
  options: ConstructorParameters<typeof PromptLocalnet>[0] = {},
  closeEveryMs: number | 'manual' = 'manual',
): Promise<AdminWorld> {
  await using opened = new AsyncDisposableStack()
  const ledgers = new PromptLocalnet(options)
  const localnet = opened.use(await startLocalnetServer({ network: ledgers, closeEveryMs }))
  const database = opened.use(await freshDatabase())
  const store = opened.use(await openStore({ kind: 'postgres', url: database.url, poolSize: 4 }))
  const resources = opened.move()
  return {
    localnet,
    ledgers,
    database,
    store,
    env: ({ secret }, changes = {}) => ({
      PATH: process.env['PATH'],
      DATABASE_URL: database.url,
      TESTNET_RPC_URL: localnet.httpUrl,
      TESTNET_SPONSOR_SECRET: secret,
      // Most of these sponsors have just what the reserves need.
      MIN_SPONSOR_BALANCE_XLM: '0',
      CHANNEL_COUNT: '2',
      ...changes,
    }),
    fund: ({ address }, amount) => localnet.pay({ address, asset: 'XLM', amount }),
    funded: async (count, amount) => {
      const sponsors = Array.from({ length: count }, newSponsor)
      const paid = sponsors.map(({ address }) => ledgers.faucet({ address, asset: 'XLM', amount }))
      await Promise.all([...paid, ledgers.closeLedger()])
      return sponsors
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Runs `svc ...` to its end. */
export const run = (env: Variables, ...args: string[]): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [svc, ...args],
      { env: { XDG_STATE_HOME: stateHome(), ...env } },
      (error, out, err) => {
        const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0
        resolve({ code, out, err, lines: linesOf(out) })
      },
    )
  })

export const linesOf = (out: string): unknown[] =>
  out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

/** A running `svc ...` that a test can signal and kill. */
export class SvcProcess implements Disposable {
  readonly #child: ChildProcess
  readonly ended: Promise<{ readonly code: number | null }>
  output = ''

  constructor(env: Variables, ...args: string[]) {
    this.#child = spawn(process.execPath, [svc, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const take = (chunk: Buffer) => {
      this.output += chunk.toString()
    }
    this.#child.stdout?.on('data', take)
    this.#child.stderr?.on('data', take)
    this.ended = new Promise((resolve) => this.#child.once('close', (code) => resolve({ code })))
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  /** Resolves once the output matches; fails with what was printed instead. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    await expect.poll(() => this.output, { timeout: DEADLINE_MS, interval: 20 }).toMatch(pattern)
    return pattern.exec(this.output)!
  }

  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal)
    return (await this.ended).code
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL')
  }
}

export const until = (look: () => unknown, expected: unknown) =>
  expect.poll(look, { timeout: DEADLINE_MS, interval: 20 }).toEqual(expected)

/** Balance and sponsored reserves of an account; undefined when it is not on the ledger. */
export const onLedger = ({ ledgers }: AdminWorld, address: string) => accountOf(ledgers, address)

/** How many of a sponsor's first channels the ledger has. */
export const channelsOnLedger = (world: AdminWorld, sponsor: Sponsor, count: number): number =>
  channelAddresses(sponsor, count).filter((address) => onLedger(world, address)).length

/** The states of a sponsor's channels in the store, each once. */
export async function storedStates({ store }: AdminWorld, { address }: Sponsor) {
  const channels = await listChannels(store.db, network, address)
  return [...new Set(channels.map(({ state }) => state))]
}
