/** Rounds of an agent that buys from sellers who lie, on a ledger that shows what they took. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type SellerHttp, sellerHttp } from '../../../src/buyer/seller-http.ts'
import { walletOf } from '../../../src/buyer/sign-payment.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { type LocalnetServer, startLocalnetServer } from '../../../src/localnet/server.ts'
import { Budget } from '../../../src/mcp/payment/budget.ts'
import { OpenPayments } from '../../../src/mcp/payment/open-payments.ts'
import { payAndCall } from '../../../src/mcp/payment/pay-and-call.ts'
import { ExplainedFailure } from '../../../src/mcp/tool-failure.ts'
import { genesisAt } from '../../support/genesis.ts'
import { usdcOf } from '../../support/ledger-view.ts'
import { PromptLocalnet } from '../../support/prompt-localnet.ts'
import { type Account, accountWithUsdc, reach } from '../../support/stock/stock-client.ts'
import { offer } from '../cli/paid-server.ts'
import { type Deal as DealOf, type Lie, lies, openSellers } from './lying-sellers.ts'
import { type Held, readHeld, type Take, Taker, takes } from './takes.ts'

export type Deal = DealOf<Take>

/** Every lie with every way to take the money, at once and later. */
export const deals: readonly Deal[] = lies.flatMap((lie) =>
  takes.flatMap((take) =>
    (take === 'nothing' || take === 'the last ledger' ? [false] : [true, false]).map(
      (takesFirst) => ({ lie, take, takesFirst }),
    ),
  ),
)

const network = 'stellar:testnet'
const PRICE = 100_000n
/** 60 ledgers. */
const VALID_SECONDS = 300
/** Longer than a round, so that it sees its own ledgers. */
const RETAINED = 400

export interface LyingWorld extends AsyncDisposable {
  readonly localnet: LocalnetServer
  readonly ledgers: PromptLocalnet
  readonly taker: Taker
  readonly http: SellerHttp
  readonly payee: Account
  readonly folder: string
}

export async function openLyingWorld(): Promise<LyingWorld> {
  await using opened = new AsyncDisposableStack()
  const snapshot = await genesisAt(Date.now())
  const ledgers = new PromptLocalnet({ snapshot, retainLedgers: RETAINED, minCloseTimeStep: 0 })
  ledgers.isHeld = true
  const server = opened.use(
    await startLocalnetServer({ network: ledgers, closeEveryMs: 'manual', tls: true }),
  )
  const localnet: LocalnetServer = {
    ...server,
    pay: async (request) => {
      const [paid] = await Promise.all([ledgers.faucet(request), ledgers.closeLedger()])
      return paid
    },
  }
  reach(localnet)
  const folder = mkdtempSync(join(tmpdir(), 'svc-lies-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const http = opened.use(sellerHttp({ reach: 'loopback_too' }))
  const payee = await accountWithUsdc(localnet)
  const taker = await Taker.open(ledgers, localnet.httpUrl)
  const resources = opened.move()
  return {
    ...{ localnet, ledgers, taker, http, payee, folder },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

export interface Round {
  /** One call each. */
  readonly deals: readonly Deal[]
  /** Payments that the budget allows. */
  readonly allowed: number
  /** Afterwards the RPC no longer has the ledgers of the round. */
  readonly forgets?: boolean
}

export interface Counts {
  readonly calls: number
  /** Payments that a seller got a signature for. */
  readonly signed: number
  readonly taken: Readonly<Partial<Record<Take, number>>>
  /** What left the wallet above the budget, in base units. */
  readonly above: bigint
}

/**
 * Plays a round with a new wallet and a new budget. At each point no more has left the wallet than the budget counts, and
 * never more than its limit.
 */
export async function playRound(world: LyingWorld, round: Round): Promise<Counts> {
  await using opened = new AsyncDisposableStack()
  const { localnet, ledgers, taker, http, payee, folder } = world
  const payer = await accountWithUsdc(localnet, 50n)
  const limit = BigInt(round.allowed) * PRICE
  const file = join(folder, `${payer.address}.sqlite`)
  const budget = opened.use(new Budget({ file, limit, clock: systemClock }))
  const wallet = walletOf(payer.secret, network, localnet.rpcUrl)
  const open = opened.use(new OpenPayments({ budget, rpcUrl: wallet.rpcUrl }))
  const tool = payAndCall({ http, wallet, network, budget, open, clock: systemClock })

  const held = new Map<number, Held>()
  const taken: Partial<Record<Take, number>> = {}
  const count = (take: Take, times = 1) => {
    taken[take] = (taken[take] ?? 0) + times
  }
  const dealOf = (call: number): Deal => round.deals[call] as Deal
  const takeNow = async (call: number) => {
    const { take } = dealOf(call)
    if (take === 'the last ledger' || take === 'nothing') return
    await taker.take(take, held.get(call) as Held)
    count(take)
  }
  const sellers = opened.use(
    await openSellers({
      price: offer(payee.address, { maxTimeoutSeconds: VALID_SECONDS }),
      dealOf,
      onPayment: async (call, header) => {
        expect(held.has(call)).toBe(false)
        held.set(call, readHeld(header))
        if (dealOf(call).takesFirst) await takeNow(call)
      },
    }),
  )

  const start = usdcOf(ledgers, payer.address) ?? 0n
  let above = 0n
  const moved = () => start - (usdcOf(ledgers, payer.address) ?? 0n)
  const look = (when: string) => {
    const { spent } = budget.state()
    if (moved() > limit) above = moved() - limit
    expect(moved(), `${when}: more left the wallet than the budget counts`).toBeLessThanOrEqual(
      spent,
    )
    expect(spent, `${when}: the budget counts more than its limit`).toBeLessThanOrEqual(limit)
  }

  const call = async (n: number): Promise<void> => {
    const asked = { url: sellers.urlOf(n), max: '0.01', method: 'GET' }
    const use = { signal: new AbortController().signal, fenceId: 'f', report: () => {} }
    const failure = await tool.call(asked, use).then(
      () => undefined,
      (error: unknown) => error,
    )
    const { lie } = dealOf(n)
    if (failure === undefined) return expect(lie).toBe('says that it was paid')
    if (!(failure instanceof ExplainedFailure)) throw failure
    const { code, facts, message } = failure
    // Refused by the budget, or by a connection that broke earlier.
    if (!held.has(n)) return
    expect(Object(facts).paid, `${lie}: ${code}: ${message}`).toBeNull()
    expect(message, lie).not.toMatch(/nothing was paid/i)
  }
  const calls = round.deals.map((deal, n) => ({ isHanging: deal.lie === 'hangs', done: call(n) }))
  // One that fails ends the round, and with it the others.
  for (const { done } of calls) done.catch(() => undefined)
  const ended = (isHanging: boolean) =>
    Promise.all(calls.filter((each) => each.isHanging === isHanging).map((each) => each.done))
  await ended(false)
  look('while some hang')
  sellers.release()
  await ended(true)
  look('after the calls')

  const isLater = (n: number) => !dealOf(n).takesFirst
  for (const n of [...held.keys()].filter(isLater)) await takeNow(n)
  look('after the sellers took what they hold')
  if (!round.forgets) expect(await open.resolve()).toBe(true)
  look('after the ledger was asked')
  const last = [...held].filter(([n]) => dealOf(n).take === 'the last ledger')
  count('the last ledger', await taker.takeLast(last.map(([, each]) => each)))
  look('in the last ledger')

  const end = Math.max(...[...held.values()].map(({ lastLedger }) => lastLedger))
  const through = round.forgets ? end + RETAINED : end
  while (ledgers.latest.sequence <= through) await ledgers.closeLedger()
  expect(await open.resolve()).toBe(true)
  look('at the end')
  checkEnd({ round, held, budget, moved: moved() })
  return { calls: round.deals.length, signed: held.size, taken, above }
}

interface End {
  readonly round: Round
  readonly held: ReadonlyMap<number, Held>
  readonly budget: Budget
  readonly moved: bigint
}

/** Every payment is over: it counts if it was taken, or if its seller said so. */
function checkEnd({ round, held, budget, moved }: End): void {
  const signed = [...held.keys()].map((n) => round.deals[n] as Deal)
  const isSaid = ({ lie }: { lie: Lie }) => lie === 'says that it was paid'
  const untaken = signed.filter((deal) => isSaid(deal) && deal.take === 'nothing').length
  const owed = moved + BigInt(untaken) * PRICE
  if (round.forgets) {
    const unexplained = BigInt(signed.filter((deal) => !isSaid(deal)).length) * PRICE
    expect(budget.state()).toMatchObject({ spent: BigInt(signed.length) * PRICE, unexplained })
    const takenOf = new Map([...held].map(([n, { nonce }]) => [nonce, round.deals[n]?.take]))
    for (const { id, payment } of budget.endable()) {
      const isTaken = takenOf.get(payment?.nonce ?? 0n) !== 'nothing'
      expect(budget.endByOwner(id, isTaken ? 'paid' : 'unpaid')).toBe(true)
    }
  }
  expect(budget.unresolved()).toEqual([])
  expect(budget.state()).toMatchObject({ spent: owed, unexplained: 0n })
}
