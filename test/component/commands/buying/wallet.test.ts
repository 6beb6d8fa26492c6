import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Keypair } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LocalnetServer } from '../../../../src/localnet/server/server.ts'
import { startPromptLocalnet } from '../../../support/prompt-localnet.ts'
import { run, SvcProcess } from '../admin-world.ts'
import { runHere } from '../run-here.ts'

/*
 * `svc wallet new`, on the real embedded network and on networks that a proxy in front of it makes up. Most run in this process; as
 * programs those that show its output in a pipe, all that it writes, and its end on a signal.
 */

let localnet: LocalnetServer
let folder: string
const bare = { PATH: process.env['PATH'] }

beforeAll(async () => {
  localnet = await startPromptLocalnet({ port: 0 })
  folder = await mkdtemp(join(tmpdir(), 'svc-wallet-'))
})

afterAll(async () => {
  await localnet?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** The embedded network with another answer of getNetwork, and a friendbot of its own at `/`. */
async function otherNetwork(network: object, friendbot: 'real' | 'refuses' | 'hangs' = 'real') {
  let asked = 0
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      asked++
      if (friendbot === 'hangs') return
      if (friendbot === 'refuses') {
        response.writeHead(400).end('{"detail":"no more"}')
        return
      }
      const { search } = new URL(request.url ?? '', 'http://x')
      const given = await fetch(`${localnet.httpUrl}/friendbot${search}`)
      response.writeHead(given.status).end(await given.text())
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const answer = await fetch(localnet.httpUrl, { method: 'POST', body })
    const result = Object(await answer.json())
    const isAboutNetwork = body.includes('"getNetwork"')
    response.end(JSON.stringify(isAboutNetwork ? { ...result, result: { ...network } } : result))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const testnet = { passphrase: 'Test SDF Network ; September 2015', protocolVersion: 23 }
const pubnet = { passphrase: 'Public Global Stellar Network ; September 2015', protocolVersion: 23 }

/** Fails unless the secret belongs to the address. */
function expectKeys({ address, secret }: { address: string; secret: string }): void {
  expect(Keypair.fromSecret(secret).publicKey()).toBe(address)
}

describe('svc wallet new', () => {
  test('prints another key pair each time', async () => {
    const [one, two] = await Promise.all([run(bare, 'wallet', 'new'), run(bare, 'wallet', 'new')])
    for (const { code, err, out, lines } of [one, two]) {
      expect({ code, err }).toEqual({ code: 0, err: '' })
      expect(out).toMatch(/^\{.*\}\n$/)
      expect(Object.keys(lines[0])).toEqual(['address', 'secret'])
      expectKeys(lines[0])
    }
    expect(one.lines[0].address).not.toBe(two.lines[0].address)
  })

  test('--out writes the seed to a new file of this user, and prints it nowhere', async () => {
    const file = join(folder, 'seed')
    const ran = await run(bare, 'wallet', 'new', '--out', file)
    const secret = await readFile(file, 'utf8')
    expect(secret).toMatch(/^S[A-Z2-7]{55}\n$/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(ran).toMatchObject({ code: 0, err: '', lines: [{ file }] })
    expectKeys({ ...ran.lines[0], secret: secret.trim() })
    expect(ran.out).not.toContain(secret.trim())

    const again = await runHere(bare, 'wallet', 'new', '--out', file)
    expect(again).toMatchObject({ code: 1, out: '' })
    expect(again.err).toBe(
      `svc wallet: ${file} exists, and no seed is overwritten. Name another file.\n`,
    )
    expect(await readFile(file, 'utf8')).toBe(secret)
  })

  test('--out prints the whole path of a file that is named by a part of it', async () => {
    const file = join(folder, 'relative')
    const ran = await runHere(bare, 'wallet', 'new', '--out', relative(process.cwd(), file))
    expect(ran).toMatchObject({ code: 0, err: '', lines: [{ file }] })
  })

  test('--out says that a file cannot be written', async () => {
    const ran = await runHere(bare, 'wallet', 'new', '--out', join(folder, 'none', 'seed'))
    expect(ran).toMatchObject({ code: 1, out: '' })
    expect(ran.err).toMatch(/^svc wallet: .*seed cannot be written \(ENOENT\)\. Name a file /)
  })

  test.each([
    { args: ['new', 'x'], says: "Unexpected argument 'x'" },
    { args: ['nwe'], says: 'Did you mean new?' },
    { args: ['new', '--found'], says: 'Did you mean --fund?' },
    { args: ['new', '--rpc', 'https://x'], says: '--rpc needs --fund' },
    { args: ['new', '--fund', '--rpc', 'x'], says: '--rpc is a URL such as https://' },
  ])('exits 64 for $args, and makes no key', async ({ args, says }) => {
    const ran = await runHere(bare, 'wallet', ...args)
    expect(ran).toMatchObject({ code: 64, out: '' })
    expect(ran.err).toContain(says)
    const json = await runHere(bare, 'wallet', ...args, '--json')
    expect(json.lines).toEqual([{ error: 'usage', message: expect.stringContaining(says) }])
  })
})

describe('svc wallet new --fund', () => {
  test('gets XLM, a trustline and USDC of the embedded network', async () => {
    const ran = await runHere(bare, 'wallet', 'new', '--fund', '--rpc', localnet.httpUrl)
    expect(ran.code, ran.err).toBe(0)
    expect(ran.lines).toMatchObject([
      { network: 'stellar:testnet', rpc: localnet.httpUrl, usdc: '100' },
    ])
    // Its own transaction made the trustline, and its fee is all that is missing.
    expect(Number(ran.lines[0].xlm)).toBeGreaterThan(9_999.9)
    expect(Number(ran.lines[0].xlm)).toBeLessThan(10_000)
    expectKeys(ran.lines[0])
  })

  test('takes the first TESTNET_RPC_URL, and refuses one that is none', async () => {
    const file = join(folder, 'funded')
    const env = { ...bare, TESTNET_RPC_URL: `${localnet.httpUrl},https://127.0.0.1:1` }
    const ran = await runHere(env, 'wallet', 'new', '--fund', '--out', file)
    expect(ran, ran.err).toMatchObject({ code: 0, lines: [{ file, usdc: '100' }] })
    expect(ran.out + ran.err).not.toContain((await readFile(file, 'utf8')).trim())

    const refused = await runHere({ ...bare, TESTNET_RPC_URL: 'here' }, 'wallet', 'new', '--fund')
    expect(refused).toMatchObject({ code: 78, out: '' })
    expect(refused.err).toContain('TESTNET_RPC_URL must be http or https URLs')
  })

  test('says where testnet USDC comes from, when the network has no faucet for it', async () => {
    const network = { ...testnet, friendbotUrl: '' }
    await using other = await otherNetwork(network)
    network.friendbotUrl = `${other.url}/`
    const ran = await runHere(bare, 'wallet', 'new', '--fund', '--rpc', other.url)
    expect(ran.code, ran.err).toBe(0)
    expect(ran.lines).toMatchObject([
      { usdc: '0', next: expect.stringContaining('https://faucet.circle.com') },
    ])
    expect(ran.err).toContain('the account has a trustline to USDC')
  })

  test('never asks anyone on the public network', async () => {
    const network = { ...pubnet, friendbotUrl: '' }
    await using other = await otherNetwork(network)
    network.friendbotUrl = `${other.url}/friendbot`
    const ran = await runHere(bare, 'wallet', 'new', '--fund', '--rpc', other.url)
    expect(ran).toMatchObject({ code: 1, lines: [{ error: 'pubnet' }] })
    expect(ran.err).toContain('is of the public network, where XLM and USDC are real money')
    expectKeys(ran.lines[0])
    expect(other.asked()).toBe(0)
  })

  test.each([
    { when: 'another network', network: { passphrase: 'Standalone' }, error: 'other_network' },
    { when: 'no friendbot', network: testnet, error: 'no_friendbot' },
    { when: 'no answer of a network', network: {}, error: 'rpc_unreadable' },
  ])('says that there is $when, and prints the keys all the same', async ({ network, error }) => {
    await using other = await otherNetwork(network)
    const ran = await runHere(bare, 'wallet', 'new', '--fund', '--rpc', other.url)
    expect(ran).toMatchObject({ code: 1, lines: [{ error }] })
    expect(ran.err).toMatch(/^svc wallet: the Stellar RPC http:\S+ .*\n/)
    expectKeys(ran.lines[0])
  })

  test('says that nothing listens there, or that friendbot refuses', async () => {
    const gone = await runHere(bare, 'wallet', 'new', '--fund', '--rpc', 'http://127.0.0.1:1023')
    expect(gone).toMatchObject({ code: 1, lines: [{ error: 'rpc_unreachable' }] })
    expect(gone.err).toContain('refuses connections')

    const network = { ...testnet, friendbotUrl: '' }
    await using other = await otherNetwork(network, 'refuses')
    network.friendbotUrl = `${other.url}/`
    const ran = await runHere(bare, 'wallet', 'new', '--fund', '--rpc', other.url)
    expect(ran).toMatchObject({ code: 1, lines: [{ error: 'faucet_refused' }] })
    expect(ran.err).toContain('answered 400: {"detail":"no more"}')
  })

  test('prints the keys when Ctrl-C interrupts it', async () => {
    const network = { ...testnet, friendbotUrl: '' }
    await using other = await otherNetwork(network, 'hangs')
    network.friendbotUrl = `${other.url}/`
    using funding = new SvcProcess(bare, 'wallet', 'new', '--fund', '--rpc', other.url)
    await expect.poll(other.asked, { timeout: 120_000 }).toBe(1)
    expect(await funding.end('SIGINT')).toBe(130)
    const [line = ''] = /\{.*\}/.exec(funding.output) ?? []
    expect(JSON.parse(line)).toMatchObject({ error: 'stopped' })
    expectKeys(JSON.parse(line))
  })
})
