import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { usdc } from '../../../src/localnet/genesis/genesis-assets.ts'
import { type LocalnetServer, startLocalnetServer } from '../../../src/localnet/server/server.ts'
import { passphrases } from '../../../src/platform/core/caip2.ts'
import { bareDatabase, type TestDatabase } from '../../support/postgres.ts'
import { PromptLocalnet } from '../../support/prompt-localnet.ts'
import { newSponsor, SvcProcess, XLM } from '../commands/admin-world.ts'
import { commandsOf, inShell, readPage, SVC_ON_PATH } from './typed-page.ts'

/*
 * Types every command of the page against an embedded network with the passphrase of the public one, over
 * https. Only addresses, paths and the contract of USDC are changed.
 */

const page = readPage('docs/production.md')
const commands = commandsOf(page)
const settings = [...commands].filter((line) => line.startsWith('export ') && line !== SVC_ON_PATH)

let localnet: LocalnetServer
let database: TestDatabase
let folder: string
beforeAll(async () => {
  const network = new PromptLocalnet({ passphrase: passphrases['stellar:pubnet'] })
  localnet = await startLocalnetServer({ network, tls: true, closeEveryMs: 'manual' })
  database = await bareDatabase()
  folder = mkdtempSync(join(tmpdir(), 'svc-production-'))
})
afterAll(async () => {
  await localnet[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** The settings of the page, after the words in them were replaced. */
function settingsWith(words: Readonly<Record<string, string>>): Record<string, string> {
  const typed = settings.map((line) =>
    Object.entries(words).reduce((text, [from, to]) => text.replace(from, to), line),
  )
  return Object.fromEntries(
    typed.map((line) => {
      const [, name = '', value = ''] = /^export (\w+)=(.*)$/.exec(line) ?? []
      return [name, value]
    }),
  )
}

test('every command of the page does what the page says', { timeout: 240_000 }, async () => {
  const sponsor = newSponsor()
  await localnet.pay({ address: sponsor.address, asset: 'XLM', amount: 100n * XLM })
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const { httpsUrl = '', caFile = '' } = localnet
  const base = { PATH: process.env['PATH'], HOME: process.env['HOME'] }

  const left = new Set(commands)
  for (const line of settings) left.delete(line)
  const type = (command: string, env: object, words: Readonly<Record<string, string>> = {}) => {
    expect([...commands]).toContain(command)
    left.delete(command)
    const text = Object.entries(words).reduce((typed, [a, b]) => typed.replace(a, b), command)
    return inShell({ ...base, ...env }, text)
  }

  expect(await type(SVC_ON_PATH, {})).toMatchObject({ code: 0 })
  const [made] = (await type('svc keys new', {})).lines
  const env = {
    ...settingsWith({
      '/run/secrets/database-url': file('database-url', database.url),
      '/run/secrets/sponsor': file('sponsor', `${sponsor.secret}\n`),
      '/run/secrets/api-keys': file('api-keys', `${made.entry}\n`),
      'https://rpc.provider-one.example': httpsUrl,
      'https://rpc.provider-two.example': httpsUrl.replace('127.0.0.1', 'localhost'),
      // The embedded network has testnet's issuer, so its contract with this passphrase is another.
      CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75: usdc.contractId(
        localnet.network.passphrase,
      ),
    }),
    NODE_EXTRA_CA_CERTS: caFile,
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    EXPLORER_ENABLED: 'false',
  }
  expect(Object.keys(env)).toContain('PUBNET_REQUIRE_API_KEY')

  expect(await type('svc migrate --check', env)).toMatchObject({ code: 1 })
  expect(await type('svc migrate', env)).toMatchObject({ code: 0 })
  expect(await type('svc migrate --check', env)).toMatchObject({ code: 0 })
  expect(await type('svc provision', env)).toMatchObject({
    code: 0,
    lines: [{ network: 'stellar:pubnet', channels: 16 }],
  })
  const found = await type('svc doctor', env)
  expect(found.lines.filter(({ status }) => status === 'problem')).toEqual([])
  expect(found.code).toBe(0)
  expect(found.lines.find(({ check }) => check === 'rpc').says).toContain('localhost')
  expect(await type('svc status', env)).toMatchObject({
    code: 0,
    lines: [{ channels: { configured: 16, onLedger: 16 }, settlements: { unresolvable: 0 } }],
  })
  expect(await type('svc settlements list', env)).toMatchObject({ code: 0, lines: [] })

  expect(left.delete('svc serve')).toBe(true)
  using service = new SvcProcess({ ...base, ...env }, 'serve')
  const [, url = ''] = await service.printed(/"url":"([^"]+)".*Service is listening/)
  const here = { 'http://127.0.0.1:8080': url }
  expect((await type('curl -sf http://127.0.0.1:8080/ready', {}, here)).code).toBe(0)
  const supported = await type('curl -sf http://127.0.0.1:8080/supported', {}, here)
  expect(supported.out).toContain('"stellar:pubnet"')
  const metrics = await type('curl -sf http://127.0.0.1:8080/metrics', {}, here)
  expect(metrics.out).toMatch(/^svc_sponsor_budget_left_stroops\{.*\} 200000000$/m)
  expect(await service.end('SIGTERM')).toBe(0)

  expect([...left]).toEqual([])
})
