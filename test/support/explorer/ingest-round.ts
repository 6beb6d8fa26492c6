/**
 * One round of ingest under fire: a recorded history is shown ledger by ledger by endpoints that lie, while processes
 * that ingest die, lose their connections and their lease. Then the lies end, and everything is counted again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Store } from '../../../src/platform/database/open.ts'
import {
  type ChainEndpoint,
  type ChainView,
  type Lie,
  startChainEndpoint,
} from './chain-endpoint.ts'
import { type IngestProcess, startIngestProcess } from './ingest-process.ts'
import type { ChainLedger, ChainPayment, RecordedChain } from './recorded-chain.ts'
import { recount } from './recount.ts'

export interface IngestRoundOptions {
  readonly store: Store
  readonly databaseUrl: string
  /** The network's history, and its history after a reset. */
  readonly chains: readonly [RecordedChain, RecordedChain]
  readonly random: () => number
}

export interface IngestRoundResult {
  readonly payments: number
  readonly gapLedgers: number
  readonly epochs: number
  readonly terms: number
  readonly lies: number
  readonly hasReset: boolean
  /** Empty when everything is as it should be. */
  readonly differences: readonly string[]
}

const STEPS = 40
/** Longer than a process takes to start. */
const STEP_WITHIN_MS = 150
const FINISH_WITHIN_MS = 60_000
const KNOWN_WITHIN_MS = 2_000
const RETAINED = 70
const KNOWN_AFTER_REQUESTS = 12
const OTHER_PASSPHRASE = 'Another network'

export async function playIngestRound(options: IngestRoundOptions): Promise<IngestRoundResult> {
  const { store, databaseUrl, chains, random } = options
  const [, after] = chains
  await emptyExplorer(store)
  await using opened = new AsyncDisposableStack()
  const resetAt = random() < 0.3 ? 15 + Math.floor(random() * 15) : undefined
  const isForgetful = random() < 0.3
  const scene = new Scene(chains, isForgetful, random)
  const endpoints: ChainEndpoint[] = []
  // After ledgers that were invented, the pool believes in no reset for a minute.
  const mayInvent = resetAt === undefined
  for (let count = 0; count < 2; count++) {
    const lie = (path: string) => scene.lie(path, mayInvent)
    endpoints.push(opened.use(await startChainEndpoint({ view: () => scene.view, lie })))
  }
  const stranger = await startChainEndpoint({
    view: () => ({ chain: after, latest: after.last, oldest: after.first }),
    lie: () => undefined,
    passphrase: OTHER_PASSPHRASE,
  })
  endpoints.push(opened.use(stranger))
  const pageSize = 5 + Math.floor(random() * 60)
  const processes: IngestProcess[] = []
  let started = 0
  const start = async () => {
    started += 1
    const rpcUrls = endpoints.map(({ url }) => `${url}/${started}`)
    const holder = `process ${started}`
    processes.push(
      opened.use(await startIngestProcess({ databaseUrl, rpcUrls, holder, random, pageSize })),
    )
  }
  await start()
  await start()
  for (let step = 0; step < STEPS; step++) {
    if (step === resetAt && (await scene.isKnown(store))) scene.reset()
    scene.advance()
    await scene.untilAsked(2 + Math.floor(random() * 5))
    await scene.noteEpoch(store)
    await disturb(processes, store, random)
    while (processes.filter(({ isDead }) => !isDead).length < 2) await start()
  }
  scene.finish()
  // After invented ledgers, a pool that knows of them may refuse every honest answer for a minute; a new process reads what
  // the store says is still to be read.
  for (const each of processes) each.kill()
  await start()
  const differences = await untilEqual(store, scene)
  const { rows } = await sql<{ gaps: bigint; epochs: bigint; term: bigint; payments: bigint }>`
    select (select coalesce(sum(through_ledger - from_ledger + 1), 0)::bigint from explorer_gaps) gaps,
      (select count(*) from explorer_epochs) epochs, (select max(term) from explorer_lease) term,
      (select count(*) from explorer_payments) payments`.execute(store.db)
  const [row] = rows
  return {
    payments: Number(row?.payments),
    gapLedgers: Number(row?.gaps),
    epochs: Number(row?.epochs),
    terms: Number(row?.term),
    lies: scene.lies,
    hasReset: scene.hasReset,
    differences,
  }
}

/** What the network shows, and what it has shown. */
class Scene {
  view: ChainView
  lies = 0
  /** No ledger before it must be known. */
  readFrom: number | undefined
  #requests = 0
  readonly #requestsOf = new Map<string, number>()
  /** Processes that were shown another history. */
  readonly #misled = new Set<string>()
  readonly #chains: readonly [RecordedChain, RecordedChain]
  readonly #retained: number
  readonly #random: () => number
  #isLying = true
  /** Of each epoch the payments up to its last ledger. */
  readonly #over: ChainPayment[] = []

  constructor(
    chains: readonly [RecordedChain, RecordedChain],
    isForgetful: boolean,
    random: () => number,
  ) {
    this.#chains = chains
    this.#random = random
    this.#retained = isForgetful ? RETAINED : Number.POSITIVE_INFINITY
    this.view = this.#at(chains[0], 130 + Math.floor(random() * 20))
  }

  /** Every payment that any ledger has shown. */
  get shown(): readonly ChainPayment[] {
    return [...this.#over, ...this.#present()]
  }

  advance(): void {
    const { chain, latest } = this.view
    this.view = this.#at(chain, Math.min(chain.last, latest + Math.floor(this.#random() * 4)))
  }

  /** Whether the explorer knows of the latest ledger: what it never heard of before a reset is nowhere a gap. */
  async isKnown({ db }: Store): Promise<boolean> {
    const deadline = performance.now() + KNOWN_WITHIN_MS
    for (;;) {
      const row = await db.selectFrom('explorer_progress').select('high_water').executeTakeFirst()
      if ((row?.high_water ?? 0) >= this.view.latest) return true
      if (performance.now() > deadline) return false
      await sleep(5)
    }
  }

  get hasReset(): boolean {
    return this.view.chain === this.#chains[1]
  }

  reset(): void {
    this.#over.push(...this.#present())
    this.view = this.#at(this.#chains[1], 5 + Math.floor(this.#random() * 10))
  }

  /** No lies any more, and the whole history. */
  finish(): void {
    this.#isLying = false
    this.view = this.#at(this.view.chain, this.view.chain.last)
  }

  /** Waits until the endpoints have got this many requests, or longer than a process takes to start. */
  async untilAsked(requests: number): Promise<void> {
    const until = this.#requests + requests
    const deadline = performance.now() + STEP_WITHIN_MS
    while (this.#requests < until && performance.now() < deadline) await sleep(2)
  }

  /** The explorer reads what is retained when it first sees the network. */
  async noteEpoch({ db }: Store): Promise<void> {
    if (this.readFrom !== undefined) return
    const { oldest } = this.view
    const epoch = await db.selectFrom('explorer_epochs').select('id').executeTakeFirst()
    if (epoch) this.readFrom = oldest
  }

  lie(process: string, mayInvent: boolean): Lie | undefined {
    this.#requests += 1
    const requests = (this.#requestsOf.get(process) ?? 0) + 1
    this.#requestsOf.set(process, requests)
    // A process cannot tell two histories apart by its first answers; on a busy machine it may have waited for none of them.
    const knowsHistory = requests > KNOWN_AFTER_REQUESTS && this.readFrom !== undefined
    if (!this.#isLying || this.#random() > 0.25) return undefined
    this.lies += 1
    const ledgers = 1 + Math.floor(this.#random() * 12)
    const share = this.#random()
    const other = this.#chains[1]
    const lies: Lie[] = [
      { kind: 'fail', how: 'hang up' },
      { kind: 'fail', how: '500' },
      { kind: 'fail', how: 'garbage' },
      { kind: 'lag', ledgers: ledgers * 3 },
      { kind: 'cut', share },
      { kind: 'cut', share },
      { kind: 'repeat', share },
      { kind: 'reorder', share },
      { kind: 'forget', ledgers: ledgers * 5 },
      ...(mayInvent && knowsHistory
        ? [{ kind: 'ahead' as const, ledgers, cursor: share < 0.5 }]
        : []),
      // Once to each process: when every answer shows a reset for `confirmResetMs`, it is one, and on a busy machine two
      // answers in a row come that far apart.
      ...(mayInvent && knowsHistory && !this.#misled.has(process)
        ? [{ kind: 'other history' as const, view: this.#claimedReset(other, ledgers) }]
        : []),
    ]
    const lie = lies[Math.floor(this.#random() * lies.length)]
    if (lie?.kind === 'other history') this.#misled.add(process)
    return lie
  }

  #at(chain: RecordedChain, latest: number): ChainView {
    return { chain, latest, oldest: Math.max(chain.first, latest - this.#retained + 1) }
  }

  /** As if that history had just begun to be this network's. */
  #claimedReset(chain: RecordedChain, latest: number): ChainView {
    const { view } = this
    const closeTime = view.chain.ledgers.get(view.latest)?.closeTime ?? 0
    const later = closeTime + 1 - (chain.ledgers.get(latest)?.closeTime ?? 0)
    const ledgers = [...chain.ledgers].map(([sequence, ledger]): [number, ChainLedger] => {
      const transactions = ledger.transactions.map((each) => ({
        ...each,
        createdAt: Number(each['createdAt']) + later,
      }))
      return [sequence, { closeTime: ledger.closeTime + later, transactions }]
    })
    return this.#at({ ...chain, ledgers: new Map(ledgers) }, latest)
  }

  #present(): readonly ChainPayment[] {
    return this.view.chain.payments.filter(({ ledger }) => ledger <= this.view.latest)
  }
}

/** One of the ways in which processes end or lose what they hold, or none. */
async function disturb(
  processes: readonly IngestProcess[],
  store: Store,
  random: () => number,
): Promise<void> {
  const alive = processes.filter(({ isDead }) => !isDead)
  const victim = alive[Math.floor(random() * alive.length)]
  const choice = random()
  if (choice < 0.05) victim?.kill()
  else if (choice < 0.1) for (const each of alive) each.breakCommit('before')
  else if (choice < 0.15) for (const each of alive) each.breakCommit('after')
  else if (choice < 0.18) victim?.breakConnections()
  else if (choice < 0.22) {
    await sql`update explorer_lease set holder = 'a thief', term = term + 1,
      expires_at = clock_timestamp() + interval '50 milliseconds'`.execute(store.db)
  }
}

async function emptyExplorer({ db }: Store): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables
    where schemaname = current_schema() and tablename like 'explorer_%'
      and tablename not in ('explorer_windows', 'explorer_facilitators', 'explorer_signers')
      and tablename !~ '^explorer_payments_'`.execute(db)
  const tables = sql.join(rows.map(({ name }) => sql.table(name)))
  await sql`truncate ${tables} restart identity cascade`.execute(db)
}

async function untilEqual(store: Store, scene: Scene): Promise<readonly string[]> {
  const deadline = performance.now() + FINISH_WITHIN_MS
  for (;;) {
    await scene.noteEpoch(store)
    const differences = await compare(store, scene)
    if (differences.length === 0 || performance.now() > deadline) return differences
    await sleep(40)
  }
}

/** How far ingest is from its end, and every payment and figure that is not what the ledgers say. */
async function compare(store: Store, scene: Scene): Promise<readonly string[]> {
  const { db } = store
  const { rows: state } = await sql<{ last_ledger: number; backfills: bigint; network: string }>`
    select last_ledger, network, (select count(*) from explorer_backfills) backfills
    from explorer_progress`.execute(db)
  const [progress] = state
  const { latest } = scene.view
  // A claim of ledgers that did not exist may have moved it farther; after a reset it has begun again.
  const isDone = (progress?.last_ledger ?? 0) >= latest && progress?.backfills === 0n
  if (!isDone) return [`not done: ${JSON.stringify(state, bigintText)}, latest ${latest}`]
  const { rows } = await sql<Stored>`
    select encode(tx_hash, 'hex') as "txHash", ledger, (position >> 32)::text as "closedAt",
      payment.amount::text as amount, ceiling::text as ceiling, buyer.address as buyer, seller.address as seller, kind.epoch
    from explorer_payments payment
    join explorer_addresses buyer on buyer.id = payment.buyer
    join explorer_addresses seller on seller.id = payment.seller
    join explorer_kinds kind on kind.id = payment.kind`.execute(db)
  const gaps = await db.selectFrom('explorer_gaps').selectAll().execute()
  const epochs = await db.selectFrom('explorer_epochs').select('id').orderBy('id').execute()
  const stored = new Map(rows.map((row) => [row.txHash, row]))
  const differences: string[] = []
  if (stored.size !== rows.length) differences.push('a payment is stored twice')
  const shown = scene.shown
  const inGap = (epoch: number | undefined, ledger: number) =>
    gaps.some(
      (gap) => gap.epoch === epoch && gap.from_ledger <= ledger && ledger <= gap.through_ledger,
    )
  const old = scene.hasReset ? shown.length - scene.view.chain.payments.length : 0
  const first = scene.hasReset ? old : shown.length
  for (const [index, payment] of shown.entries()) {
    const row = stored.get(payment.txHash)
    const epoch = index < old ? epochs.at(0)?.id : epochs.at(-1)?.id
    const isEarlier = index < first && payment.ledger < (scene.readFrom ?? 0)
    if (!row && !isEarlier && !inGap(epoch, payment.ledger)) {
      differences.push(`missing: ${payment.txHash} of ledger ${payment.ledger}`)
    }
    if (row && !isSame(row, payment)) differences.push(`differs: ${JSON.stringify(row)}`)
    stored.delete(payment.txHash)
  }
  for (const { txHash, ledger } of stored.values()) {
    differences.push(`not on the ledger: ${txHash} of ledger ${ledger}`)
  }
  return [...differences, ...(await recount(db))]
}

interface Stored {
  readonly txHash: string
  readonly ledger: number
  readonly closedAt: string
  readonly amount: string
  readonly ceiling: string | null
  readonly buyer: string
  readonly seller: string
  readonly epoch: number
}

const isSame = (row: Stored, payment: ChainPayment): boolean =>
  row.ledger === payment.ledger &&
  row.closedAt === String(payment.closedAt) &&
  row.amount === payment.amount.toString() &&
  row.ceiling === (payment.ceiling?.toString() ?? null) &&
  row.buyer === payment.buyer &&
  row.seller === payment.seller

const bigintText = (_: string, value: unknown) =>
  typeof value === 'bigint' ? value.toString() : value
