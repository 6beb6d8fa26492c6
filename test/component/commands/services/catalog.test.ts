import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { Keypair } from '@stellar/stellar-sdk'
import { describe, expect, test, vi } from 'vitest'
import { writeOutcome } from '../../../../src/catalog/store/outcomes.ts'
import { healthSchema } from '../../../../src/payments/health/schema.ts'
import { openStore } from '../../../../src/platform/database/open.ts'
import { accounts } from '../../../support/catalog-listing.ts'
import { bareDatabase, freshDatabase } from '../../../support/postgres.ts'
import { svcProgram } from '../../../support/programs/program-path.ts'
import { startPromptLocalnet } from '../../../support/prompt-localnet.ts'
import { contentOf, insert } from '../../catalog/published-listings.ts'
import { keyOf } from '../../payments/store/builders.ts'
import { runHere } from '../run-here.ts'

const bare = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0' }

function catalog(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const child = spawn(process.execPath, [svcProgram(), 'catalog', ...args], {
    env: { ...bare, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { child, [Symbol.dispose]: () => child.kill('SIGKILL') }
}

async function endOf(child: ChildProcess): Promise<{ code: unknown; err: string }> {
  const err = child.stderr ? text(child.stderr) : Promise.resolve('')
  const [code] = await once(child, 'exit')
  return { code, err: await err }
}

const catalogHere = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  runHere({ ...bare, LOG_LEVEL: 'silent', ...env }, 'catalog', ...args)

const explained = (url: string, ...args: readonly string[]) =>
  catalogHere({ DATABASE_URL: url }, 'explain', ...args)

async function listening({ stdout }: ChildProcess): Promise<{ url: string; adminUrl: string }> {
  if (!stdout) throw new Error('standard output is not piped')
  const lines = createInterface(stdout)
  for await (const line of lines) {
    const { url, adminUrl } = JSON.parse(line)
    if (url === undefined) continue
    stdout.resume()
    return { url, adminUrl }
  }
  throw new Error('it ended before it listened')
}

const jsonOf = async (url: string) => (await fetch(url)).json()

describe('svc catalog', () => {
  test('refuses a store that no facilitator can write to', async () => {
    const { code, err } = await catalogHere({
      STORE: 'memory',
      TESTNET_RPC_URL: 'https://rpc.example',
    })
    expect(code).toBe(78)
    expect(err).toMatch(/STORE must be postgres/)
  })

  test('refuses a database with an older schema, and does not change it', async () => {
    await using database = await bareDatabase()
    const env = { DATABASE_URL: database.url, TESTNET_RPC_URL: 'https://rpc.example' }
    const { code, err } = await catalogHere(env)
    expect(code).toBe(1)
    expect(err).toMatch(
      /^svc catalog: the database lacks 0001.*: run svc migrate of this version first\n$/,
    )
    await using store = await openStore({ kind: 'postgres', url: database.url, poolSize: 1 })
    expect(await store.pendingMigrations()).not.toEqual([])
  })

  test.each(['hide', 'unhide'])(
    '%s takes a listing or an account, and says what changed',
    async (action) => {
      await using database = await freshDatabase()
      const run = (...args: readonly string[]) =>
        catalogHere({ DATABASE_URL: database.url }, action, ...args)
      const account = Keypair.random().publicKey()
      const { code, out } = await run(account)
      expect({ code, ...JSON.parse(out) }).toEqual({
        code: 0,
        action,
        subject: account,
        listings: 0,
      })
      await using store = await openStore({ kind: 'postgres', url: database.url, poolSize: 1 })
      const hidden = await store.db.selectFrom('hidden_listings').select('subject').execute()
      expect(hidden).toEqual(action === 'hide' ? [{ subject: account }] : [])
      expect(await run('https://a.example/')).toMatchObject({ code: 64 })
      expect(await run()).toMatchObject({ code: 64 })
    },
  )

  test('serves the catalog without a seed, finds what another process publishes, and drains', async () => {
    await using database = await freshDatabase()
    await using store = await openStore({ kind: 'postgres', url: database.url, poolSize: 2 })
    const localnet = await startPromptLocalnet()
    await using _ = { [Symbol.asyncDispose]: () => localnet.close() }
    using process = catalog({ DATABASE_URL: database.url, TESTNET_RPC_URL: localnet.httpUrl })
    const { url, adminUrl } = await listening(process.child)

    expect(await jsonOf(`${adminUrl}/readyz`)).toMatchObject({ ready: true })
    await vi.waitFor(
      async () =>
        expect(await jsonOf(`${url}/ready`)).toEqual({
          ready: true,
          checks: { database: { ok: true }, search: { ok: true, detail: 'revision 0' } },
        }),
      { timeout: 120_000, interval: 50 },
    )

    await insert(store, contentOf('weather'))
    await vi.waitFor(
      async () =>
        expect(await jsonOf(`${url}/discovery/search?query=weather`)).toMatchObject({
          resources: [{ resource: 'https://weather.example/v1/weather' }],
        }),
      { timeout: 120_000, interval: 50 },
    )
    expect(await jsonOf(`${url}/discovery/resources`)).toMatchObject({ pagination: { total: 1 } })
    const health = healthSchema.parse(await jsonOf(`${url}/health`))
    expect(health).toMatchObject({ networks: {}, catalog: {}, search: {} })
    expect(await (await fetch(`${adminUrl}/metrics`)).text()).toContain(
      'svc_search_index_revision 1',
    )
    const validation = await fetch(`${url}/discovery/validate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: 'http://127.0.0.1:1/weather' }),
    })
    expect(await validation.json()).toMatchObject({ outcome: 'refused' })
    expect((await fetch(`${url}/settle`, { method: 'POST' })).status).toBe(404)

    process.child.kill('SIGTERM')
    expect((await endOf(process.child)).code).toBe(0)
  })

  test('explains a listing and a URL to a person and to a script, with the database alone', async () => {
    await using database = await freshDatabase()
    await using store = await openStore({ kind: 'postgres', url: database.url, poolSize: 2 })
    const id = await insert(store, contentOf('weather'), { state: 'pending' })
    const url = 'https://weather.example/v1/weather'

    const script = await explained(database.url, id)
    expect(script.code).toBe(0)
    expect(JSON.parse(script.out)).toMatchObject({
      subject: id,
      listings: [
        {
          id,
          resource: url,
          state: 'pending',
          settlements: 1,
          nextCheckAt: expect.any(String),
          lastOutcome: { code: 'recorded' },
        },
      ],
      outcomes: [],
      waiting: [],
    })

    const person = await explained(database.url, `${url}?place=Lima`, '--human')
    expect(person.code).toBe(0)
    expect(person.out).toContain(`${url} on stellar:testnet\n`)
    expect(person.out).toMatch(/state +pending: it is listed once its origin answers with a 402/)
    expect(person.out).toMatch(/last outcome +recorded \(settle, /)

    const unknown = await explained(database.url, 'https://nobody.example/', '--human')
    expect(unknown).toMatchObject({ code: 1, err: '' })
    expect(unknown.out).toMatch(/not listed: no settled payment has declared it/)

    // The latest of what its settlements led to decides, and the table of codes says what to do.
    const refusedUrl = 'https://refused.example/'
    await writeOutcome(store.db, 'test', {
      ...{ settlementId: 1n, key: keyOf('refused'), payTo: accounts.first, resource: refusedUrl },
      ...{ transaction: 'b'.repeat(64), status: 'rejected', code: 'bazaar_info_invalid' },
      ...{ reason: 'The info is wrong.', dropped: ['tags'] },
    })
    const refused = await explained(database.url, refusedUrl, '--human')
    expect(refused.out).toMatch(
      /^https:\/\/refused\.example\/\n {2}state +not listed: its latest settlement ended with bazaar_info_invalid/,
    )
    expect(refused.out).toMatch(/to do +register `bazaarResourceServerExtension` on the server/)
    expect(refused.out).toMatch(/: The info is wrong\. \(transaction b{64}, left out: tags\)\n$/)

    const { method: _, ...plates } = contentOf('plates', { kind: 'mcp', toolName: 'plates' })
    const tool = await explained(database.url, await insert(store, plates), '--human')
    expect(tool.out).toMatch(/next check +none: an MCP tool has no 402 response to ask for/)

    const gone = await insert(store, contentOf('gone'))
    const changed = (values: { readonly check_due_at: Date | null }) =>
      store.db
        .updateTable('listings')
        .set({ state: 'quarantined', ...values })
        .where('id', '=', gone)
        .execute()
    await changed({ check_due_at: null })
    const idle = await explained(database.url, gone, '--human')
    expect(idle.out).toMatch(/state +quarantined: [^;]+; the next settlement has it asked again\n/)
    await changed({ check_due_at: new Date('2026-11-22T01:00:00Z') })
    const asked = await explained(database.url, gone, '--human')
    expect(asked.out).toMatch(
      /state +quarantined: .+; it is asked again at 2026-11-22T01:00:00.000Z\n/,
    )

    expect(await explained(database.url, 'weather')).toMatchObject({
      code: 64,
      err: expect.stringContaining('explain takes a URL with its scheme, or the id of a listing'),
    })
  })
})
