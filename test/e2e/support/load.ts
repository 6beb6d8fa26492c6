/**
 * Payments at a constant rate while something is done to the facilitator: stock buyers, a stock seller, and what
 * the ledger has at the end. `underLoad` counts; `expectNothingLost` and `expectNoFailedRequest` judge.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/accounts/signer.ts'
import { countPayments, type LoadRow } from './load/count.ts'
import { fundUsdc, latestLedger, transfersFrom } from './load/ledger.ts'
import type { FromMarket, MarketSettings, PaymentRecord, ToMarket } from './load/records.ts'
import { addToReport } from './load/report.ts'

export { expectNoFailedRequest, expectNothingLost, type LoadRow } from './load/count.ts'

/** Where the payments go. A `World` is one. */
export interface LoadTarget {
  /** As sellers reach it: the Service. */
  readonly facilitatorUrl: string
  /** Of the embedded network, http. */
  readonly rpcUrl: string
  /** Of the seller, where the facilitator wants one. */
  readonly apiKey?: string
  /** Pays whole USDC to a new account. @default from the faucet of the embedded network */
  fund?(address: string, amount: number): Promise<void>
}

export interface LoadOptions {
  /** @default 3 */
  readonly perSecond?: number
  /**
   * How long before its turn each payment is signed, in milliseconds: signing needs the RPC, so a test that
   * takes the RPC away has payments signed before. @default 0
   */
  readonly signedAheadMs?: number
  /**
   * How long a signature is valid at 5 s a ledger, which the stock client assumes; at 1 s a ledger it is a fifth.
   * @default 900, the most that a facilitator accepts by default
   */
  readonly maxTimeoutSeconds?: number
  /** Whether the row goes into the report. @default true */
  readonly isReported?: boolean
}

export interface Load {
  /** Of the payments that have ended, in the order of their ends; grows until the load has stopped. */
  readonly records: readonly PaymentRecord[]
  /** Resolves when so many payments that begin from now on have succeeded. */
  paid(count: number): Promise<void>
  /** From now on the seller sends this API key. */
  useApiKey(key: string): void
}

const program = fileURLToPath(new URL('load/market.ts', import.meta.url))
const packages = fileURLToPath(new URL('../../fixtures/stock-newest', import.meta.url))
const PAYERS = 8
/** Whole USDC of each payer. */
const FUNDS = 1_000
/** Payments before what is done, and after it. */
const BEFORE = 5
const AFTER = 5

/**
 * Runs `act` under load and counts. Five payments have succeeded before it begins, and five that began after its
 * end have succeeded before the load stops; then each payment that has no final answer is repeated until it has one.
 *
 * @param act answers what it has done, in words for the table
 */
export async function underLoad(
  target: LoadTarget,
  fear: string,
  act: (load: Load) => Promise<string>,
  options: LoadOptions = {},
): Promise<LoadRow> {
  const { facilitatorUrl, rpcUrl, apiKey } = target
  const { perSecond = 3, signedAheadMs = 0, maxTimeoutSeconds = 900, isReported = true } = options
  const fund = target.fund ?? ((...gift) => fundUsdc(rpcUrl, ...gift))
  const seeds = Array.from({ length: PAYERS + 1 }, () => randomBytes(32))
  const [seller = '', ...payers] = seeds.map((seed) => signerFromSeed(seed).address)
  await Promise.all([seller, ...payers].map((address) => fund(address, FUNDS)))
  const startLedger = await latestLedger(rpcUrl)
  await using market = await Market.start({
    facilitatorUrl: facilitatorUrl.replace(/\/$/, ''),
    rpcUrl,
    packages,
    payers: seeds.slice(1).map(secretOfSeed),
    payTo: seller,
    perSecond,
    signedAheadMs,
    maxTimeoutSeconds,
    ...(apiKey !== undefined && { apiKey }),
  })
  market.send('start')
  await market.paid(BEFORE)
  const done = await act(market)
  await market.paid(AFTER)
  const records = await market.end()
  const all = await transfersFrom(rpcUrl, startLedger)
  const transfers = all.filter(({ from }) => payers.includes(from))
  const row = { fear, done, ...countPayments(records, transfers) }
  if (isReported) addToReport(row)
  return row
}

/** The process of the buyers and the seller: the tests' own event loop would delay them. */
class Market implements Load, AsyncDisposable {
  readonly #child: ChildProcess
  readonly records: PaymentRecord[] = []
  readonly #ended: Promise<never>
  #onRecord: () => void = () => undefined

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#ended = new Promise((_, reject) => {
      child.once('error', reject)
      child.once('exit', (code) => reject(new Error(`the process of the load ended: ${code}`)))
    })
    this.#ended.catch(() => undefined)
    child.on('message', (message: FromMarket) => {
      if (typeof message !== 'object') return
      this.records.push(message.paid)
      this.#onRecord()
    })
  }

  static async start(settings: MarketSettings): Promise<Market> {
    const { HOME, PATH } = process.env
    const child = fork(program, [JSON.stringify(settings)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      // The stock client asks the public Horizon for ledger times, through the proxy: nothing listens there, so
      // that it assumes 5 s a ledger at once.
      env: { HOME, PATH, HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' },
      execArgv: [],
    })
    const market = new Market(child)
    await market.#message('ready')
    return market
  }

  send(message: ToMarket): void {
    this.#child.send(message)
  }

  useApiKey(apiKey: string): void {
    this.send({ apiKey })
  }

  paid(count: number): Promise<void> {
    const from = Date.now()
    const hasEnough = () => this.records.filter((one) => isPaidSince(one, from)).length >= count
    const enough = new Promise<void>((resolve) => {
      this.#onRecord = () => {
        if (hasEnough()) resolve()
      }
    })
    return Promise.race([enough, this.#ended])
  }

  async end(): Promise<readonly PaymentRecord[]> {
    const ended = this.#message('ended')
    this.send('stop')
    await ended
    return this.records
  }

  #message(wanted: FromMarket): Promise<void> {
    const received = new Promise<void>((resolve) => {
      const listen = (message: FromMarket) => {
        if (message !== wanted) return
        this.#child.off('message', listen)
        resolve()
      }
      this.#child.on('message', listen)
    })
    return Promise.race([received, this.#ended])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = this.#ended.catch(() => undefined)
    this.#child.kill('SIGKILL')
    await gone
  }
}

const isPaidSince = ({ begunAt, requests }: PaymentRecord, from: number): boolean =>
  begunAt >= from && requests.at(-1)?.path === '/settle' && requests.at(-1)?.isSuccess === true
