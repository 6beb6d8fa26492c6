/** A Stellar RPC endpoint that shows a recorded history as far as a test has come with it, and lies as it is told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { parseToid, toid } from '../../../src/localnet/rpc/cursor.ts'
import type { Json } from '../stale-answers.ts'
import type { ChainLedger, RecordedChain } from './recorded-chain.ts'

/** What the network is at a moment. */
export interface ChainView {
  readonly chain: RecordedChain
  readonly latest: number
  readonly oldest: number
}

export type Lie =
  /** No answer, an HTTP error, or no JSON. */
  | { readonly kind: 'fail'; readonly how: 'hang up' | '500' | 'garbage' }
  /** Answers of so many ledgers ago. */
  | { readonly kind: 'lag'; readonly ledgers: number }
  /** Claims ledgers that do not exist yet; with `cursor` consistently. */
  | { readonly kind: 'ahead'; readonly ledgers: number; readonly cursor: boolean }
  /** Leaves out the end of a page, a share of it, but never all. */
  | { readonly kind: 'cut'; readonly share: number }
  /** Lists a transaction twice, or two in the wrong order. */
  | { readonly kind: 'repeat' | 'reorder'; readonly share: number }
  /** Claims to retain only so many ledgers. */
  | { readonly kind: 'forget'; readonly ledgers: number }
  /** Answers of another history of the same network. */
  | { readonly kind: 'other history'; readonly view: ChainView }

export interface ChainEndpoint extends AsyncDisposable {
  readonly url: string
}

export interface ChainEndpointOptions {
  readonly view: () => ChainView
  /** Asked for each request, with the path of its URL. */
  readonly lie: (path: string) => Lie | undefined
  /** @default that of the chain */
  readonly passphrase?: string
}

export async function startChainEndpoint(options: ChainEndpointOptions): Promise<ChainEndpoint> {
  const server = createServer((request, response) => {
    answer(options, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('listening without a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  { view, lie, passphrase }: ChainEndpointOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const parts: Uint8Array[] = []
  for await (const part of request) parts.push(part)
  const call: { id: unknown; method: string; params?: Json } = JSON.parse(
    Buffer.concat(parts).toString('utf8'),
  )
  const told = call.method === 'getNetwork' ? undefined : lie(request.url ?? '')
  if (told?.kind === 'fail') return fail(told.how, response)
  const shown = shownView(view(), told)
  const body = { jsonrpc: '2.0', id: call.id, ...resultOf(call, shown, told, passphrase) }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

function fail(how: string, response: ServerResponse): void {
  if (how === 'hang up') {
    response.destroy()
    return
  }
  response.writeHead(how === '500' ? 500 : 200)
  response.end('not JSON')
}

function shownView(view: ChainView, lie: Lie | undefined): ChainView {
  switch (lie?.kind) {
    case 'lag':
      return { ...view, latest: Math.max(view.oldest, view.latest - lie.ledgers) }
    case 'forget':
      return { ...view, oldest: Math.max(view.oldest, view.latest - lie.ledgers) }
    case 'other history':
      return lie.view
    default:
      return view
  }
}

function resultOf(
  { method, params = {} }: { method: string; params?: Json },
  view: ChainView,
  lie: Lie | undefined,
  passphrase = view.chain.passphrase,
): Json {
  const latest = ledgerOf(view, view.latest)
  switch (method) {
    case 'getNetwork':
      return { result: { passphrase, protocolVersion: 23 } }
    case 'getLatestLedger': {
      const sequence = view.latest + aheadBy(lie)
      return {
        result: { id: '', sequence, protocolVersion: 23, closeTime: String(latest.closeTime) },
      }
    }
    case 'getTransaction':
      return { result: { status: 'NOT_FOUND', ...rangeOf(view, lie, 'Time', String) } }
    case 'getTransactions':
      return page(params, view, lie)
    default:
      return { error: { code: -32_601, message: `no method ${method}` } }
  }
}

const aheadBy = (lie: Lie | undefined): number => (lie?.kind === 'ahead' ? lie.ledgers : 0)

const ledgerOf = ({ chain }: ChainView, sequence: number): ChainLedger =>
  chain.ledgers.get(sequence) ?? { closeTime: 0, transactions: [] }

function rangeOf(
  view: ChainView,
  lie: Lie | undefined,
  suffix: 'Time' | 'Timestamp',
  format: (seconds: number) => string | number,
): Json {
  return {
    latestLedger: view.latest + aheadBy(lie),
    [`latestLedgerClose${suffix}`]: format(ledgerOf(view, view.latest).closeTime),
    oldestLedger: view.oldest,
    [`oldestLedgerClose${suffix}`]: format(ledgerOf(view, view.oldest).closeTime),
  }
}

/** As Stellar RPC and the embedded network answer: src/localnet/rpc/reads/get-transactions.ts. */
function page(params: Json, view: ChainView, lie: Lie | undefined): Json {
  const { pagination = {} } = params as { pagination?: { cursor?: string; limit?: number } }
  const { cursor = '', limit = 50 } = pagination
  const start = parseToid(cursor)
  if (!start) return { error: { code: -32_602, message: 'no cursor' } }
  if (start.ledger < view.oldest) {
    const message = `database does not contain metadata for ledger: ${start.ledger}`
    return { error: { code: -32_602, message } }
  }
  const transactions: Json[] = []
  for (let sequence = start.ledger; sequence <= view.latest; sequence++) {
    for (const transaction of ledgerOf(view, sequence).transactions) {
      const order = Number(transaction['applicationOrder'])
      if (sequence === start.ledger && order <= start.transaction) continue
      if (transactions.length < limit) transactions.push(transaction)
    }
  }
  const last = transactions.length === limit ? transactions.at(-1) : undefined
  const inLatest = ledgerOf(view, view.latest).transactions.length
  const [ledger, order] = last
    ? [Number(last['ledger']), Number(last['applicationOrder'])]
    : [view.latest, inLatest]
  const isAhead = lie?.kind === 'ahead' && lie.cursor && !last
  const end = isAhead ? toid(ledger + lie.ledgers, 0, 1) : toid(ledger, order, 1)
  return {
    result: {
      transactions: distorted(transactions, lie),
      ...rangeOf(view, lie, 'Timestamp', Number),
      cursor: String(end),
    },
  }
}

function distorted(transactions: readonly Json[], lie: Lie | undefined): readonly Json[] {
  const at = (share: number) => Math.floor(share * transactions.length)
  switch (lie?.kind) {
    case 'cut':
      return transactions.slice(0, Math.max(1, at(lie.share)))
    case 'repeat':
      return transactions.toSpliced(
        at(lie.share),
        0,
        ...transactions.slice(at(lie.share)).slice(0, 1),
      )
    case 'reorder': {
      const [first, second] = transactions.slice(at(lie.share))
      return first && second
        ? transactions.toSpliced(at(lie.share), 2, second, first)
        : transactions
    }
    default:
      return transactions
  }
}
