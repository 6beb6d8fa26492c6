import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { facilitatorClient } from '../../../../src/buying/client/facilitator-client.ts'
import { exposeStatement } from '../../../../src/payments/usage/statement/route.ts'
import {
  type StatementAnswer,
  statementAnswerSchema,
} from '../../../../src/payments/usage/statement/schema.ts'
import { usdFromDecimal } from '../../../../src/platform/core/amounts/usd.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { KeyGate } from '../../../../src/platform/http/access/key-gate.ts'
import { createHttpServer } from '../../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { acceptedKeys } from '../../../support/api-keys.ts'
import { accountEntry, usdcOf } from '../../../support/ledger-view.ts'
import { openWallet, usdc, type Wallet } from '../../../support/payments.ts'
import { freshDatabase, type TestDatabase } from '../../../support/postgres.ts'
import { runHere } from '../../commands/run-here.ts'
import { ALICE, BOB, CAROL, openUsageWorld, subjectOf, type UsageWorld } from './usage-world.ts'

/* Statements of two keys whose sellers have accounts of their own, compared with what the ledger says. */

const sellers: Record<string, Wallet> = {}
/** What settled, by key: the hashes in the order of the answers. */
const settled: Record<string, { hash: string; amount: bigint }[]> = { [ALICE]: [], [BOB]: [] }
let world: UsageWorld
let database: TestDatabase
let feesOnLedger: bigint
let before: Record<string, bigint>
let month: string

const sponsorXlm = () =>
  accountEntry(world.stack.localnet.network, world.stack.sponsor.address).balance
const usdcAt = (wallet: Wallet | undefined) =>
  usdcOf(world.stack.localnet.network, wallet?.address ?? '') ?? 0n

beforeAll(async () => {
  database = await freshDatabase()
  world = await openUsageWorld({
    store: { kind: 'postgres', url: database.url },
    network: { channelCount: 6 },
    timings: { channelWaitMs: 60_000, claimTtlMs: 90_000, confirmWindowMs: 60_000 },
    serviceFee: usdFromDecimal('0.0000013'),
    settlementRetentionDays: 62,
  })
  const { stack, pay, post } = world
  for (const key of [ALICE, BOB]) sellers[key] = await openWallet(stack.localnet, 1n)
  before = { [ALICE]: usdcAt(sellers[ALICE]), [BOB]: usdcAt(sellers[BOB]) }
  const xlmBefore = sponsorXlm()
  const expirationLedger = stack.localnet.network.latest.sequence + 50
  await Promise.all(
    Array.from({ length: 30 }, async (_, index) => {
      const key = index % 3 === 0 ? ALICE : BOB
      const amount = 100_001n + BigInt(index * index)
      const payTo = sellers[key]?.address ?? ''
      const body = await pay({ amount, payTo, expirationLedger, maxTimeoutSeconds: 300 })
      const answer = await post('/settle', body, key)
      expect(answer.body).toMatchObject({ success: true })
      settled[key]?.push({ hash: answer.body.transaction, amount })
      // A repeat, by whichever key, is no second payment.
      await post('/settle', body, CAROL)
    }),
  )
  feesOnLedger = xlmBefore - sponsorXlm()
  // A payment that no key pays for, and one that fails.
  await post('/settle', await pay({ payTo: sellers[ALICE]?.address ?? '', amount: 5n }))
  await post('/settle', await pay({ amount: 10n ** 30n }), ALICE)
  before[ALICE] = (before[ALICE] ?? 0n) + 5n
  const { rows } = await sql<{ month: string }>`
    select to_char(max(finished_at) at time zone 'UTC', 'YYYY-MM') as month from settlements`.execute(
    stack.store.db,
  )
  month = rows[0]?.month ?? ''
})
afterEach(() => world.stack.hold(false))
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const ask = (key: string | undefined, query: string) =>
  fetch(`${world.stack.baseUrl}/usage/statement${query}`, {
    headers: key === undefined ? {} : { 'x-api-key': key },
  })

async function statementOf(key: string): Promise<StatementAnswer> {
  const response = await ask(key, `?month=${month}`)
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const answer = await response.json()
  expect(statementAnswerSchema.parse(answer)).toEqual(answer)
  return answer as StatementAnswer
}

const sum = (texts: readonly (string | undefined)[]) =>
  texts.reduce((total, text) => total + BigInt(text ?? ''), 0n)

describe.each([
  { who: 'the first key', key: ALICE, payments: 10, serviceFeeUsd: '0.000013' },
  { who: 'the second key', key: BOB, payments: 20, serviceFeeUsd: '0.000026' },
])('the statement of $who', ({ key, payments, serviceFeeUsd }) => {
  it('has its settled payments alone, and adds up to what its seller received', async () => {
    const answer = await statementOf(key)
    const received = usdcAt(sellers[key]) - (before[key] ?? 0n)
    expect(answer).toMatchObject({ subject: subjectOf(key), month, pending: [], isFinal: false })
    expect(answer.settlements).toHaveLength(payments)
    expect(answer.settlements.map(({ transaction }) => transaction).sort()).toEqual(
      settled[key]?.map(({ hash }) => hash).sort(),
    )
    const times = answer.settlements.map(({ time }) => time)
    expect(times).toEqual(times.toSorted())
    expect(sum(answer.settlements.map(({ amount }) => amount))).toBe(received)
    expect(answer.totals).toEqual([
      {
        network: 'stellar:testnet',
        asset: usdc,
        settlements: payments,
        amount: received.toString(),
        feeChargedStroops: sum(
          answer.settlements.map(({ feeChargedStroops }) => feeChargedStroops),
        ).toString(),
        serviceFeeUsd,
      },
    ])
    for (const each of answer.settlements) {
      expect(each).toMatchObject({ scheme: 'exact', asset: usdc, payTo: sellers[key]?.address })
    }
  })

  it('has the same rows and totals as CSV, in the command too', async () => {
    const answer = await statementOf(key)
    const response = await ask(key, `?month=${month}&format=csv`)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toContain(`statement-${month}.csv`)
    const csv = await response.text()
    const [head = '', ...lines] = csv.trimEnd().split('\r\n')
    const rows = lines.map((line) => {
      const cells = line.split(',')
      return Object.fromEntries(head.split(',').map((name, at) => [name, cells[at]]))
    })
    expect(rows.filter(({ record }) => record === 'settled')).toEqual(
      answer.settlements.map((row) => ({
        record: 'settled',
        ...row,
        ledger: String(row.ledger),
        settlements: '',
      })),
    )
    expect(rows.filter(({ record }) => record === 'total')).toMatchObject(
      answer.totals.map((row) => ({ ...row, settlements: String(row.settlements) })),
    )
    const printed = await run('--key', subjectOf(key), '--month', month)
    expect(printed).toMatchObject({ code: 0, err: '', out: csv })
    const json = await run('--key', subjectOf(key), '--month', month, '--format', 'json')
    expect(json.lines).toEqual([{ ...answer, until: expect.any(String) }])
  })
})

const run = (...args: readonly string[]) =>
  runHere(
    {
      PATH: process.env['PATH'],
      DATABASE_URL: database.url,
      SETTLEMENT_RETENTION_DAYS: '62',
    },
    'statement',
    ...args,
  )

it('adds up, over all keys, to what the ledger charged the sponsor', async () => {
  const answers = [await statementOf(ALICE), await statementOf(BOB)]
  const charged = answers.flatMap(({ totals }) =>
    totals.map(({ feeChargedStroops }) => feeChargedStroops),
  )
  expect(sum(charged)).toBe(feesOnLedger)
})

it('is read by the client', async () => {
  const client = facilitatorClient({ url: world.stack.baseUrl, apiKey: BOB })
  expect((await client.statement(month)).totals).toEqual((await statementOf(BOB)).totals)
})

it('is empty for a key without payments', async () => {
  expect(await statementOf(CAROL)).toMatchObject({ settlements: [], pending: [], totals: [] })
})

it('names a payment that is under way apart, and in no total', async () => {
  const { stack, pay, post } = world
  const { settlements, totals } = await statementOf(CAROL)
  stack.hold(true)
  const body = await pay()
  const answer = post('/settle', body, CAROL)
  await expect
    .poll(async () => (await statementOf(CAROL)).pending, { timeout: 120_000, interval: 20 })
    .toMatchObject([{ amount: '100000', transaction: expect.stringMatching(/^[0-9a-f]{64}$/) }])
  expect(await statementOf(CAROL)).toMatchObject({ settlements, totals, isFinal: false })
  stack.hold(false)
  await stack.localnet.closeLedger()
  expect((await answer).body).toMatchObject({ success: true })
  expect(await statementOf(CAROL)).toMatchObject({
    settlements: [...settlements, { amount: '100000' }],
    pending: [],
  })
})

interface Copies {
  readonly subject: string
  readonly count: number
  readonly payTo: string
  /** Expression over `copy`, which counts from 1. */
  readonly finishedAt: RawBuilder<unknown>
}

/** Copies of one success, as a month of a busy seller has them. */
async function addCopies({ subject, count, payTo, finishedAt }: Copies): Promise<void> {
  const { db } = world.stack.store
  await sql`delete from settlements where caller = ${subject}`.execute(db)
  await sql`insert into settlements (network, payer, nonce, attempt, state, fingerprint, scheme, asset, pay_to, amount, caller,
      service_fee, sponsor, owner, claimed_at, claim_expires_at, channel, envelope_xdr, tx_hash, inner_hash, max_time,
      recorded_at, recorded_at_ledger, ledger, fee_charged, response, finished_at)
    select network, payer, ${subject} || ' ' || copy, attempt, state, fingerprint, scheme, asset, ${payTo}, 7, ${subject},
      service_fee, sponsor, owner, claimed_at, claim_expires_at, channel, envelope_xdr,
      encode(sha256((${subject} || copy)::bytea), 'hex'), inner_hash, max_time, recorded_at, recorded_at_ledger, ledger, 100,
      response, ${finishedAt}
    from (select * from settlements where state = 'succeeded' limit 1) as one, generate_series(1, ${count}::integer) as copy`.execute(
    db,
  )
}

it('reads a long month page by page', async () => {
  await addCopies({
    ...{ subject: 'key:00000000000000ff', count: 4_400, payTo: 'GSELLER' },
    // Some at the same microsecond.
    finishedAt: sql`timestamptz '2020-02-29T23:59:59.999990Z' + (copy / 400) * interval '1 microsecond'`,
  })
  const { code, lines } = await runHere(
    { PATH: process.env['PATH'], DATABASE_URL: database.url },
    ...['statement', '--key', 'key:00000000000000ff', '--month', '2020-02', '--format', 'json'],
  )
  // 400 of the copies are at midnight or later, and belong to March.
  expect(code).toBe(0)
  const [answer] = lines as unknown as StatementAnswer[]
  expect(answer?.settlements).toHaveLength(3_999)
  expect(answer).toMatchObject({
    isFinal: true,
    totals: [{ settlements: 3_999, amount: '27993', feeChargedStroops: '399900' }],
  })
})

it('is cut when its client takes too little of it, and its key gets another one', async () => {
  // A page of 20 MB and a row: more than the operating system keeps for a connection.
  await addCopies({
    ...{ subject: subjectOf(CAROL), count: 501, payTo: 'G'.repeat(40_000) },
    finishedAt: sql`timestamptz '2020-04-01T00:00:00Z'`,
  })
  await using server = createHttpServer({ logger: createLogger({ level: 'silent' }) })
  exposeStatement(server.app, {
    db: world.stack.store.db,
    keyGate: new KeyGate({ keys: acceptedKeys(CAROL), networks: new Set() }),
    clock: systemClock,
    statementPageTimeoutMs: 3_000,
  })
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 })
  const statusOf = async (name: string) => {
    const headers = { 'x-api-key': CAROL, connection: 'close' }
    const response = await fetch(`http://127.0.0.1:${port}/usage/statement?month=${name}`, {
      headers,
    })
    await response.text()
    return response.status
  }

  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  const gone = Promise.withResolvers<string>()
  server.app.server.once('request', (request) =>
    request.socket.once('close', () => gone.resolve('cut')),
  )
  socket.pause()
  socket.write(
    `GET /usage/statement?month=2020-04 HTTP/1.1\r\nhost: svc\r\nx-api-key: ${CAROL}\r\n\r\n`,
  )
  await once(socket, 'readable')
  expect(await statusOf('2020-05')).toBe(429)
  const reading = new AbortController()
  const little = async () => {
    // A time limit for each piece that is taken alone never ends.
    for (; !reading.signal.aborted; await sleep(20)) socket.read(1_024)
    return 'still open'
  }
  const patience = setTimeout(() => reading.abort(), 60_000)
  expect(await Promise.race([gone.promise, little()])).toBe('cut')
  clearTimeout(patience)
  reading.abort()
  socket.destroy()
  await vi.waitFor(async () => expect(await statusOf('2020-05')).toBe(200), { timeout: 60_000 })
})

describe('is refused', () => {
  it.each([
    { when: 'without a key', key: undefined, query: '?month=2026-11', status: 401 },
    { when: 'with an unknown key', key: 'svc_unknown', query: '?month=2026-11', status: 401 },
    { when: 'without a month', key: CAROL, query: '', status: 400 },
    { when: 'for no month', key: CAROL, query: '?month=2026-13', status: 400 },
    { when: 'in another format', key: CAROL, query: '?month=2026-11&format=xml', status: 400 },
    { when: 'with another parameter', key: CAROL, query: '?month=2026-11&subject=x', status: 400 },
    { when: 'for a month to come', key: CAROL, query: '?month=2099-01', status: 400 },
    {
      when: 'for a month that is deleted in part',
      key: CAROL,
      query: '?month=2020-01',
      status: 400,
    },
  ])('$when with HTTP $status', async ({ key, query, status }) => {
    const response = await ask(key, query)
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({
      error: {
        code: status === 401 ? 'unauthorized' : 'bad_request',
        reason: expect.stringMatching(/\S/),
        retryable: false,
      },
    })
  })

  it.each([
    { args: ['--month', '2026-11'], code: 64, says: '--key' },
    { args: ['--key', 'public', '--month', '2026-11'], code: 64, says: '--key' },
    { args: ['--key', 'key:00000000000000ff', '--month', '2026'], code: 64, says: '--month' },
    { args: ['--key', 'key:00000000000000ff', '--month', '2020-02'], code: 1, says: '62 days' },
    { args: ['--key', 'key:00000000000000ff', '--month', '2099-01'], code: 1, says: 'not begun' },
  ])('by the command with $args', async ({ args, code, says }) => {
    const ran = await run(...args)
    expect(ran).toMatchObject({ code, out: '' })
    expect(ran.err).toContain(says)
  })
})
