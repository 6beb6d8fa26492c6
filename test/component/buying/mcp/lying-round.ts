/** Rounds of an agent that buys from sellers who lie, on a ledger that shows what they took. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Budget } from '../../../../src/buying/budget/budget.ts'
import { OpenPayments } from '../../../../src/buying/budget/open-payments.ts'
import { ExplainedFailure } from '../../../../src/buying/mcp/answers/tool-failure.ts'
import { payAndCall } from '../../../../src/buying/mcp/payment/pay-and-call.ts'
import { type SellerHttp, sellerHttp } from '../../../../src/buying/seller/seller-http.ts'
import { walletOf } from '../../../../src/buying/sign/sign-payment.ts'
import { type LocalnetServer, startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { genesisAt } from '../../../support/genesis.ts'
import { usdcOf } from '../../../support/ledger-view.ts'
import { PromptLocalnet } from '../../../support/prompt-localnet.ts'
import { accountWithUsdc, reach } from '../../../support/stock/stock-client.ts'
import { meteredOffer, offer } from '../../commands/buying/paid-server.ts'
import { type Held, readHeld, type Scheme, schemes } from './held.ts'
import { type Deal as DealOf, lies, openSellers } from './lying-sellers.ts'
import { amountOf, PRICE, type Take, Taker, takes } from './takes.ts'

export type Deal = DealOf<Scheme, Take>

/** Every lie with every way to take the money that the scheme allows, at once and later. */
export const deals: readonly Deal[] = schemes.flatMap((scheme) =>
  lies.flatMap((lie) =>
    takes[scheme].flatMap((take) =>
      (take === 'nothing' || take === 'the last ledger' ? [false] : [true, false]).map(
        (takesFirst) => ({ scheme, lie, take, takesFirst }),
      ),
    ),
  ),
)

const network = 'stellar:testnet'
/** 60 ledgers. */
const VALID_SECONDS = 300
/** Longer than a round, so that it sees its own ledgers. */
export const RETAINED = 400

export interface LyingWorld extends AsyncDisposable {
  readonly localnet: LocalnetServer
  readonly ledgers: PromptLocalnet
  readonly taker: Taker
  readonly http: SellerHttp
  readonly folder: string
  /** The 402 of a seller who charges so. */
  readonly priceOf: (scheme: Scheme) => object
}

/** A network with https, and what a facilitator on it says of itself. */
export interface Ground {
  readonly localnet: LocalnetServer
  readonly ledgers: PromptLocalnet
  readonly facilitator?: { readonly url: string; readonly authority: string }
}

/** @param ground it outlives the world. @default a network of its own, without a facilitator */
export async function openLyingWorld(ground?: Ground): Promise<LyingWorld> {
  await using opened = new AsyncDisposableStack()
  const { localnet, ledgers, facilitator } = ground ?? (await ownGround(opened))
  reach(localnet)
  const folder = mkdtempSync(join(tmpdir(), 'svc-lies-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const http = opened.use(sellerHttp({ reach: 'loopback_too' }))
  const { address: payee } = await accountWithUsdc(localnet)
  const url = localnet.httpUrl
  const taker = await Taker.open({ network: ledgers, url, facilitator: facilitator?.url })
  const terms = { amount: String(PRICE), maxTimeoutSeconds: VALID_SECONDS }
  const { authority } = facilitator ?? taker
  const prices = { exact: offer(payee, terms), upto: meteredOffer(payee, terms, { authority }) }
  const resources = opened.move()
  return {
    ...{ localnet, ledgers, taker, http, folder },
    priceOf: (scheme) => prices[scheme],
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function ownGround(opened: AsyncDisposableStack): Promise<Ground> {
  const snapshot = await genesisAt(Date.now())
  const ledgers = new PromptLocalnet({ snapshot, retainLedgers: RETAINED, minCloseTimeStep: 0 })
  ledgers.isHeld = true
  const server = opened.use(
    await startLocalnetServer({ network: ledgers, closeEveryMs: 'manual', tls: true }),
  )
  const pay: LocalnetServer['pay'] = async (request) => {
    const [paid] = await Promise.all([ledgers.faucet(request), ledgers.closeLedger()])
    return paid
  }
  return { ledgers, localnet: { ...server, pay } }
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
  /** Why each of the other calls ended. */
  readonly unsigned: readonly string[]
  /** Of each scheme and way. */
  readonly taken: ReadonlyMap<string, number>
  /** What left the wallet above the budget, in base units. */
  readonly above: bigint
}

/**
 * Plays a round with a new wallet and a new budget. At each point no more has left the wallet than the budget counts, and
 * never more than its limit.
 */
export async function playRound(world: LyingWorld, round: Round): Promise<Counts> {
  await using opened = new AsyncDisposableStack()
  const { localnet, ledgers, taker, http, folder, priceOf } = world
  const payer = await accountWithUsdc(localnet, 50n)
  const limit = BigInt(round.allowed) * PRICE
  const file = join(folder, `${payer.address}.sqlite`)
  const budget = opened.use(new Budget({ file, limit, clock: systemClock }))
  const wallet = walletOf(payer.secret, network, localnet.rpcUrl)
  const open = opened.use(new OpenPayments({ budget, rpcUrl: wallet.rpcUrl }))
  const tool = payAndCall({ http, wallet, network, budget, open, clock: systemClock })

  const held = new Map<number, Held>()
  const unsigned: string[] = []
  /** What left the wallet for each call, in base units. */
  const took = new Map<number, bigint>()
  const dealOf = (call: number): Deal => round.deals[call] as Deal
  const note = (call: number) => took.set(call, amountOf(dealOf(call).take, dealOf(call).scheme))
  const takeNow = async (call: number) => {
    const { take } = dealOf(call)
    if (take === 'the last ledger' || take === 'nothing') return
    await taker.take(take, held.get(call) as Held)
    note(call)
  }
  const sellers = opened.use(
    await openSellers({
      priceOf: (call) => priceOf(dealOf(call).scheme),
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
    if (!held.has(n)) return void unsigned.push(`${lie}: ${code}: ${message}: ${whyOf(failure)}`)
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
  const takenLast = await taker.takeLast(last.map(([, each]) => each))
  for (const [n, each] of last) if (takenLast.includes(each)) note(n)
  look('in the last ledger')

  const end = Math.max(...[...held.values()].map(({ lastLedger }) => lastLedger))
  const through = round.forgets ? end + RETAINED : end
  while (ledgers.latest.sequence <= through) await ledgers.closeLedger()
  expect(await open.resolve()).toBe(true)
  look('at the end')
  expect(moved()).toBe(sum(took.values()))
  checkEnd({ round, held, took, budget })
  const taken = Object.groupBy(took.keys(), (n) => `${dealOf(n).scheme}: ${dealOf(n).take}`)
  return {
    ...{ calls: round.deals.length, signed: held.size, unsigned, above },
    taken: new Map(Object.entries(taken).map(([how, some = []]) => [how, some.length])),
  }
}

const sum = (amounts: Iterable<bigint>) => [...amounts].reduce((total, each) => total + each, 0n)

interface End {
  readonly round: Round
  readonly held: ReadonlyMap<number, Held>
  readonly took: ReadonlyMap<number, bigint>
  readonly budget: Budget
}

/** What the host's log would say. */
const whyOf = ({ cause }: ExplainedFailure): string =>
  cause instanceof Error ? cause.message : String(cause)

/** Every payment is over: it counts what was taken, whatever its seller said. */
function checkEnd({ round, held, took, budget }: End): void {
  const callOf = new Map([...held].map(([n, { nonce }]) => [nonce, n]))
  const expected = new Map<bigint, bigint>()
  for (const { id, payment, state } of budget.payments(held.size)) {
    const call = callOf.get(payment?.nonce ?? 0n) ?? -1
    expect(call).toBeGreaterThanOrEqual(0)
    const amount = took.get(call) ?? 0n
    if (state === 'unexplained') {
      expect(round.forgets).toBe(true)
      // What an owner says was paid counts as it was signed.
      expect(budget.endByOwner(id, amount > 0n ? 'paid' : 'unpaid')).toBe(true)
      expected.set(id, amount > 0n ? PRICE : 0n)
    } else expected.set(id, amount)
  }
  const counted = budget.payments(held.size).map(({ id, units }) => [id, units] as const)
  expect(new Map(counted)).toEqual(expected)
  expect(expected.size).toBe(held.size)
  expect(budget.unresolved()).toEqual([])
  expect(budget.state()).toMatchObject({ spent: sum(expected.values()), unexplained: 0n })
}
