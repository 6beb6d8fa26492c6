/**
 * Buyers, sellers and facilitators between which requests and answers get lost, late and doubled, and whose processes are killed all the time,
 * on one embedded network. At the end it counts.
 */

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Localnet } from '../../../src/localnet/network.ts'
import { type LocalnetServer, startLocalnetServer } from '../../../src/localnet/server/server.ts'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/accounts/signer.ts'
import { openLane } from '../crash-lane.ts'
import { seededRandom } from '../crash-random.ts'
import { type Count, countAll } from './count.ts'
import { type ProxiedRequest, startFaultProxy } from './fault-proxy.ts'
import { Journal } from './journal.ts'
import { Buyers, type Mortal, Servers, startSeller } from './processes.ts'
import { type Kind, PRICE } from './settings.ts'

export interface ProofOptions {
  /** Two, which are not the same: of the facilitators and of the sellers. */
  readonly databaseUrls: readonly [facilitator: string, seller: string]
  /** Purchases of each kind. */
  readonly purchases: Readonly<Record<Kind, number>>
  /** How many of each kind are made at the same time. */
  readonly atOnce: number
  /** A process is killed each time that so many more purchases have their goods. */
  readonly purchasesPerKill: number
  /** Which processes are killed. */
  readonly kills: readonly Killed[]
  readonly seed: number
  /** No purchase is begun after this time. */
  readonly beginsForMs: number
  readonly log?: (line: string) => void
}

const CLOSE_EVERY_MS = 250
/** What has no goods this long after the last purchase was begun is lost. */
const PATIENCE_MS = 120_000
const CHANNELS = 40
const ACCOUNTS = 10
/** More than a lane's: two cores serve many at once here. */
const timings = {
  channelWaitMs: 5_000,
  claimTtlMs: 10_000,
  leaseTtlMs: 12_000,
  confirmWindowMs: 8_000,
  duplicateWaitMs: 8_000,
  followedForMs: 4_000,
}

export async function prove(options: ProofOptions): Promise<Count> {
  await using opened = new AsyncDisposableStack()
  const { databaseUrls, purchases, seed, log = () => undefined } = options
  const folder = mkdtempSync(join(tmpdir(), 'svc-paid-once-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const network = new Localnet({ expectedCloseSeconds: 1, minCloseTimeStep: 0 })
  const closing = { network, closeEveryMs: CLOSE_EVERY_MS, tls: true }
  const localnet = opened.use(await startLocalnetServer(closing))
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, () => fundedAccount(localnet)),
  )
  const payTo = await fundedAccount(localnet)
  const lane = opened.use(
    await openLane({
      ...{ localnet, databaseUrl: databaseUrls[0], channels: CHANNELS, replicas: 0, timings },
      statementTimeoutMs: 5_000,
    }),
  )
  for (const { address } of accounts) lane.otherPayers.add(address)
  const random = seededRandom(seed)
  const facilitators = new Servers(lane.start)
  opened.use(facilitators)
  const replicas = [await facilitators.start(), await facilitators.start()]
  const settling = opened.use(
    await startFaultProxy({ targets: facilitators.urls, sharesOf: () => harsh, random }),
  )
  const settings = {
    facilitatorUrl: settling.url,
    payTo: payTo.address,
    databaseUrl: databaseUrls[1],
  }
  const sellers = opened.use(new Servers(() => startSeller(settings)))
  const shops = await Promise.all([sellers.start(), sellers.start()])
  const buying = opened.use(await startFaultProxy({ targets: sellers.urls, sharesOf, random }))

  log(
    `facilitators ${facilitators.urls()} behind ${settling.url}, sellers ${sellers.urls()} behind ${buying.url}, databases ${databaseUrls}`,
  )
  const before = localnet.network.latest.sequence
  let made = 0
  const kills = new Kills(random, options.kills, log)
  kills.add('facilitator', replicas)
  kills.add('seller', shops)
  const onPurchase = () => {
    made += 1
    if (made % 50 === 0) log(`${made} purchases, ledger ${localnet.network.latest.sequence}`)
    if (made % options.purchasesPerKill === 0) kills.next()
  }
  const beginsUntil = Date.now() + options.beginsForMs
  const buyersOf = (kind: Kind) =>
    opened.use(
      new Buyers({
        settings: {
          ...{ kind, folder: join(folder, kind), purchases: purchases[kind] },
          secrets: accounts.map(({ secret }) => secret),
          ...{
            sellerUrl: buying.url,
            rpcUrl: localnet.rpcUrl,
            atOnce: options.atOnce,
            beginsUntil,
          },
        },
        caFile: localnet.caFile ?? '',
        onPurchase,
      }),
    )
  const buyers = { http: buyersOf('http'), mcp: buyersOf('mcp') }
  kills.add('buyer', [buyers.http, buyers.mcp])
  const patience = new AbortController()
  await Promise.race([
    Promise.all([buyers.http.haveAll, buyers.mcp.haveAll]),
    sleep(options.beginsForMs + PATIENCE_MS, undefined, { signal: patience.signal }).catch(
      () => undefined,
    ),
  ])
  patience.abort()
  await kills.stop()
  for (const each of Object.values(buyers)) await each[Symbol.asyncDispose]()
  for (const proxy of [settling, buying]) proxy.heal()

  return await countAll({
    ...{ lane, before, sellerUrl: buying.url, payTo: payTo.address },
    journals: { http: new Journal(join(folder, 'http')), mcp: new Journal(join(folder, 'mcp')) },
    faults: { 'buyer to seller': buying.counts, 'seller to facilitator': settling.counts },
    kills: kills.counts,
  })
}

async function fundedAccount(localnet: LocalnetServer) {
  const seed = randomBytes(32)
  const { address } = signerFromSeed(seed)
  await localnet.pay({ address, asset: 'USDC', amount: 20_000n * PRICE })
  return { address, secret: secretOfSeed(seed) }
}

/** Of requests that carry a payment. */
const harsh = {
  'request lost': 0.05,
  'answer lost': 0.08,
  'answer cut': 0.05,
  'request late': 0.05,
  'request overtaken': 0.05,
  'answer overtaken': 0.05,
  'request doubled': 0.08,
}
/** Of all others: a call of a tool takes a dozen. */
const mild = { 'request lost': 0.01, 'answer lost': 0.01, 'request late': 0.02 }

const sharesOf = ({ headers, body }: ProxiedRequest) =>
  headers['payment-signature'] !== undefined || body.includes('"x402/payment"') ? harsh : mild

export const killable = ['facilitator', 'seller', 'buyer'] as const
export type Killed = (typeof killable)[number]

/** Kills one process after the other, and starts it again. */
class Kills {
  readonly counts = new Map<Killed, number>()
  readonly #random: () => number
  readonly #killed: readonly Killed[]
  readonly #mortals: (readonly [Killed, Mortal])[] = []
  readonly #log: (line: string) => void
  #last: Promise<void> = Promise.resolve()
  #waiting = 0

  constructor(random: () => number, killed: readonly Killed[], log: (line: string) => void) {
    this.#random = random
    this.#log = log
    this.#killed = killed
  }

  add(name: Killed, mortals: readonly Mortal[]): void {
    if (!this.#killed.includes(name)) return
    for (const mortal of mortals) this.#mortals.push([name, mortal])
  }

  next(): void {
    const chosen = this.#mortals[Math.floor(this.#random() * this.#mortals.length)]
    // While one starts, no queue of kills may grow.
    if (!chosen || this.#waiting > 1) return
    const [name, mortal] = chosen
    this.#waiting += 1
    this.#last = this.#last.then(async () => {
      this.#log(`kills a ${name}`)
      await mortal.killAndStart()
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
      this.#waiting -= 1
    })
    this.#last.catch((error) => this.#log(String(error)))
  }

  stop(): Promise<void> {
    return this.#last
  }
}
