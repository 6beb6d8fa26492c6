import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LocalnetServer } from '../../../../src/localnet/server/server.ts'
import { secretOfSeed, signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'
import { freshDatabase } from '../../../support/postgres.ts'
import { svcProgram } from '../../../support/programs/program-path.ts'
import { startPromptLocalnet } from '../../../support/prompt-localnet.ts'

/* The rate limit by key, as processes of `svc serve` apply it. */

const PER_ADDRESS = 4
const PER_KEY = 40
/** All replicas together may admit a tenth more. */
const MOST_PER_KEY = 1.1 * PER_KEY

const digestOf = (key: string) => createHash('sha256').update(key).digest('hex')

const opened = new AsyncDisposableStack()
let localnet: LocalnetServer
let env: Record<string, string>

beforeAll(async () => {
  localnet = await startPromptLocalnet()
  opened.defer(() => localnet.close())
  const seed = randomBytes(32)
  const { address } = signerFromSeed(seed)
  await localnet.pay({ address, asset: 'XLM', amount: 10_000_000_000n })
  env = {
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    EXPLORER_ENABLED: 'false',
    CHANNEL_COUNT: '1',
    TESTNET_RPC_URL: localnet.httpUrl,
    TESTNET_SPONSOR_SECRET: secretOfSeed(seed),
    RATE_LIMIT_PER_MINUTE: String(PER_ADDRESS),
    RATE_LIMIT_PER_KEY_PER_MINUTE: String(PER_KEY),
  }
})
afterAll(() => opened.disposeAsync())

/** Runs `svc serve` until the scope ends. */
async function serve(changes: Record<string, string>) {
  const child = spawn(process.execPath, [svcProgram(), 'serve'], {
    env: { ...env, ...changes },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await listening(child)
  return { url, [Symbol.dispose]: () => child.kill('SIGKILL') }
}

async function listening({ stdout }: ChildProcess): Promise<string> {
  if (!stdout) throw new Error('standard output is not piped')
  for await (const line of createInterface(stdout)) {
    const { url } = JSON.parse(line)
    if (url !== undefined) return url
  }
  throw new Error('the service ended before it listened')
}

const MINUTE_MS = 60_000
/** Much longer than the counted requests of a test take. */
const NEEDED_MS = 20_000

/** Counts are of the minutes of the clock: resolves when enough is left of one for a test. */
async function freshMinute(): Promise<void> {
  const left = MINUTE_MS - (Date.now() % MINUTE_MS)
  if (left < NEEDED_MS) await sleep(left)
}

type Headers = Record<string, string>

const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` })

/** Half of the requests are payments, the other half ask what is served. */
function send(url: string, at: number, headers: Headers): Promise<Response> {
  if (at % 4 < 2) return fetch(`${url}/supported`, { headers })
  return fetch(`${url}/verify`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{}',
  })
}

/** How many of these requests, sent to the replicas in turn, were within the limit. */
async function admitted(
  replicas: readonly { readonly url: string }[],
  count: number,
  headersOf: (at: number) => Headers,
): Promise<number> {
  const answers: number[] = []
  for (let at = 0; at < count; at += 1) {
    const { url } = replicas[at % replicas.length] ?? { url: '' }
    const response = await send(url, at, headersOf(at))
    await response.arrayBuffer()
    answers.push(response.status)
  }
  return answers.filter((status) => status !== 429).length
}

describe('two replicas on one Postgres', () => {
  test('count a request with an accepted key against the key, and any other against its address', async () => {
    await using database = await freshDatabase()
    const changes = {
      DATABASE_URL: database.url,
      API_KEY_SHA256: [digestOf('svc_one'), digestOf('svc_two')].join(','),
    }
    using first = await serve(changes)
    using second = await serve(changes)
    const replicas = [first, second]
    await freshMinute()

    const keyed = await admitted(replicas, 2 * PER_KEY, () => bearer('svc_one'))
    expect(keyed).toBeGreaterThanOrEqual(PER_KEY)
    expect(keyed).toBeLessThanOrEqual(MOST_PER_KEY)

    const refused = await fetch(`${first.url}/supported`, { headers: bearer('svc_one') })
    expect(refused.status).toBe(429)
    expect(await refused.json()).toEqual({
      error: { code: 'rate_limited', reason: expect.stringContaining('API key'), retryable: true },
    })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)

    // The other key and the address have all of their own limits left.
    expect(await admitted(replicas, PER_KEY, () => ({ 'x-api-key': 'svc_two' }))).toBe(PER_KEY)
    // A key of their own choice gives callers no count of their own.
    const unknown = await admitted(replicas, 4 * PER_ADDRESS, (at) => bearer(`svc_made_up_${at}`))
    expect(unknown).toBe(PER_ADDRESS)
    expect(await admitted(replicas, 2, () => ({}))).toBe(0)
  })
})

describe('a service', () => {
  test('lifts the limit for a key as soon as its file names it, though no network needs one', async () => {
    await using database = await freshDatabase()
    await using directory = await mkdtempDisposable(join(tmpdir(), 'svc-rate-'))
    const file = join(directory.path, 'digests')
    await writeFile(file, digestOf('svc_early'))
    using service = await serve({
      DATABASE_URL: database.url,
      REQUIRE_API_KEY: 'false',
      API_KEY_SHA256_FILE: file,
      RATE_LIMIT_PER_KEY_PER_MINUTE: '100000',
    })
    const status = (headers: Headers) =>
      fetch(`${service.url}/supported`, { headers }).then((response) => response.status)
    await freshMinute()
    await admitted([service], 4 * PER_ADDRESS, () => ({}))
    expect(await status(bearer('svc_late'))).toBe(429)
    expect(await status(bearer('svc_early'))).toBe(200)

    await writeFile(file, digestOf('svc_late'))
    // Only the reloaded file can refuse the earlier key.
    const early = () => status(bearer('svc_early'))
    await expect.poll(early, { timeout: 120_000, interval: 100 }).toBe(429)
    expect(await admitted([service], 5 * PER_ADDRESS, () => bearer('svc_late'))).toBe(
      5 * PER_ADDRESS,
    )
  })
})
