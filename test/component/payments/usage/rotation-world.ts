/** Two replicas of `svc serve` that read one file of API keys, and sellers that call them all the time. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempDisposable, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { openWallet, payment } from '../../../support/payments.ts'
import { freshDatabase } from '../../../support/postgres.ts'
import { svcProgram } from '../../../support/programs/program-path.ts'
import { PromptLocalnet } from '../../../support/prompt-localnet.ts'
import { newSponsor, type Ran, run, XLM } from '../../commands/admin-world.ts'
import { runHere } from '../../commands/run-here.ts'

/** Between two payments of a seller. */
const PAUSE_MS = 400

interface Replica {
  readonly url: string
  readonly child: ChildProcess
  /** How often it has logged that it read the file. */
  readonly reads: () => number
}

/** A call of a seller, in the order of the answers. */
export interface Call {
  readonly key: string
  readonly path: string
  /** By this machine's clock, on which the replicas and Postgres run, too. */
  readonly sentAt: number
  readonly answeredAt: number
  readonly status: number
  /** The positive answer to a payment, anything else as it came. */
  readonly answer: 'paid' | 'valid' | unknown
}

export interface Seller {
  /** The key of its next calls. */
  key: string
  readonly calls: readonly Call[]
  /** Ends after the payment under way. */
  stop(): Promise<void>
}

export interface RotationWorld extends AsyncDisposable {
  readonly replicas: readonly Replica[]
  readonly file: string
  /** Replaces the file at once, as an editor and the kubelet do. */
  write(...entries: readonly string[]): Promise<void>
  sell(key: string): Promise<Seller>
  /** HTTP status and reason of a request with the key, from each replica. */
  ask(key: string): Promise<readonly string[]>
  /** The command as a program. */
  svc(...args: readonly string[]): Promise<Ran>
  /** `svc keys list` in this process, since a test asks again and again. */
  listKeys(): Promise<Ran>
}

export async function openRotationWorld(first: readonly string[]): Promise<RotationWorld> {
  await using opened = new AsyncDisposableStack()
  const network = new PromptLocalnet()
  const localnet = opened.use(await startLocalnetServer({ network, closeEveryMs: 'manual' }))
  const database = opened.use(await freshDatabase())
  const folder = opened.use(await mkdtempDisposable(join(tmpdir(), 'svc-rotation-')))
  const file = join(folder.path, 'api-keys')
  const write = async (...entries: readonly string[]) => {
    await writeFile(`${file}.new`, entries.map((entry) => `${entry}\n`).join(''))
    await rename(`${file}.new`, file)
  }
  await write(...first)
  const sponsor = newSponsor()
  await localnet.pay({ address: sponsor.address, asset: 'XLM', amount: 1_000n * XLM })
  const env = {
    PATH: process.env['PATH'],
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    EXPLORER_ENABLED: 'false',
    BAZAAR_ENABLED: 'false',
    CHANNEL_COUNT: '6',
    DATABASE_URL: database.url,
    TESTNET_RPC_URL: localnet.httpUrl,
    TESTNET_SPONSOR_SECRET: sponsor.secret,
    REQUIRE_API_KEY: 'true',
    API_KEY_SHA256_FILE: file,
    RATE_LIMIT_PER_KEY_PER_MINUTE: '0',
    RATE_LIMIT_PER_MINUTE: '0',
  }
  const replicas: Replica[] = []
  for (let at = 0; at < 2; at += 1) {
    const child = spawn(process.execPath, [svcProgram(), 'serve'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    opened.defer(() => void child.kill('SIGKILL'))
    replicas.push(await listening(child))
  }

  const sellers: Seller[] = []
  opened.defer(async () => {
    await Promise.all(sellers.map((seller) => seller.stop()))
  })
  const sell = async (key: string) => {
    const payer = await openWallet(localnet, 10_000_000_000n)
    const { address: payTo } = await openWallet(localnet, 1n)
    const seller = startSelling(key, replicas, () => payment(localnet, { payer, payTo }))
    sellers.push(seller)
    return seller
  }
  const resources = opened.move()
  return {
    replicas,
    file,
    write,
    sell,
    svc: (...args) => run(env, ...args),
    listKeys: () => runHere(env, 'keys', 'list'),
    ask: (key) =>
      Promise.all(
        replicas.map(async ({ url }) => {
          const response = await fetch(`${url}/usage`, { headers: { 'x-api-key': key } })
          const { error } = (await response.json()) as { error?: { reason: string } }
          return `${response.status} ${error?.reason ?? ''}`.trimEnd()
        }),
      ),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Verifies and settles one payment after the other, at the replicas in turn. */
function startSelling(
  key: string,
  replicas: readonly Replica[],
  newPayment: () => Promise<unknown>,
): Seller {
  const calls: Call[] = []
  let isStopping = false
  const seller = { key, calls, stop: () => running }
  const call = async (path: '/verify' | '/settle', body: string, at: number) => {
    const { url = '' } = replicas[at % replicas.length] ?? {}
    const { key } = seller
    const sentAt = Date.now()
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    const response = await fetch(url + path, { method: 'POST', headers, body })
    const answer = (await response.json()) as { isValid?: boolean; success?: boolean }
    const meant = answer.isValid ? 'valid' : answer.success ? 'paid' : answer
    const { status } = response
    calls.push({ key, path, sentAt, answeredAt: Date.now(), status, answer: meant })
  }
  const sellAll = async () => {
    for (let at = 0; !isStopping; at += 1) {
      const body = JSON.stringify(await newPayment())
      await call('/verify', body, at)
      await call('/settle', body, at + 1)
      // Two cores also run the services and the network.
      await setTimeout(PAUSE_MS)
    }
  }
  const running = sellAll()
  return Object.assign(seller, {
    stop: () => {
      isStopping = true
      return running
    },
  })
}

async function listening(child: ChildProcess): Promise<Replica> {
  if (!child.stdout) throw new Error('standard output is not piped')
  let reads = 0
  const url = Promise.withResolvers<string>()
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => {
    const logged = JSON.parse(line)
    if (logged.msg === 'API keys read') reads += 1
    if (logged.url !== undefined) url.resolve(logged.url)
  })
  lines.on('close', () => url.reject(new Error('the service ended before it listened')))
  return { url: await url.promise, child, reads: () => reads }
}
