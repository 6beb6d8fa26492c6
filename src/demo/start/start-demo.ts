import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { readPaidCall } from '../../buying/pay/timed-call.ts'
import { uptoContract } from '../../localnet/genesis/upto-contract.ts'
import { type LocalnetServer, startLocalnetServer } from '../../localnet/server/server.ts'
import { passphrases } from '../../platform/core/caip2.ts'
import { AsyncDisposableStack } from '../../platform/core/language/disposable-stack.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { payToSigner } from '../../selling/receipts/signer.ts'
import { asDemoFailure, type DemoFailure } from '../demo-failure.ts'
import { findListings, QUESTION } from '../observe/find-listing.ts'
import { findPayments } from '../observe/find-payment.ts'
import { ledgerReader } from '../observe/ledger-reader.ts'
import { type ObservedPayment, observePayment } from '../observe/observed-payment.ts'
import { type ChosenPorts, choosePorts, type WantedPorts } from '../ports/choose-ports.ts'
import { LOOPBACK } from '../ports/claimed-port.ts'
import { type Program, runChild } from '../programs/child.ts'
import { startFacilitator } from '../programs/facilitator-process.ts'
import type { Progress } from '../progress.ts'
import { METERED_PATH } from '../seller/metered-route.ts'
import { PAID_PATH, paidApi, serveApi } from '../seller/seller.ts'
import { refuseSecondDemo, removeStateAtEnd, takeFolder, writeState } from '../state/demo-folder.ts'
import { type ClaimedDemo, DEMO_NETWORK, type DemoState } from '../state/demo-state.ts'
import { fundedWallets, type Wallet, type Wallets } from '../wallets.ts'

export interface DemoOptions {
  readonly ports: WantedPorts
  /** Prints a message for a person. */
  readonly say: (text: string) => void
  /** How often a ledger closes, in milliseconds. */
  readonly closeEveryMs: number
  /** Holds everything the demo writes; emptied at the start. */
  readonly folder: string
  readonly parts: DemoParts
  readonly progress: Progress
  readonly clock: Clock
  readonly pid: number
  /** Cancels the start. */
  readonly signal: AbortSignal
}

/** Parts that only the command line can provide: other programs, and Postgres. */
export interface DemoParts {
  /** Starts a database whose data lies in the folder; undefined when the facilitator keeps its data in memory. */
  readonly startDatabase: ((folder: string) => Promise<Database>) | undefined
  /** The settings of `svc serve`, as environment variables. */
  readonly facilitatorEnvironment: (settings: FacilitatorSettings) => Record<string, string>
  readonly facilitator: (environment: Readonly<Record<string, string>>) => Program
  readonly buyer: (settings: BuyerSettings) => Program
}

interface Database extends AsyncDisposable {
  readonly url: string
}

export interface FacilitatorSettings {
  readonly host: string
  readonly port: number
  readonly explorerPort: number
  readonly rpcUrl: string
  readonly sponsorSecret: string
  /** Settlement contract of the scheme `upto`. */
  readonly uptoContract: string
  readonly databaseUrl: string | undefined
}

/** The URL to pay, and the settings that a stock client needs for the embedded network. */
export interface BuyerSettings extends Pick<DemoState, 'rpcUrl' | 'caFile' | 'buyer'> {
  readonly url: string
}

export interface RunningDemo extends AsyncDisposable {
  readonly state: DemoState
  /** Resolves when a part ends before the demo stops it. */
  readonly lost: Promise<DemoFailure>
  /** Pays the call with a fixed price. */
  pay(): Promise<ObservedPayment>
  /** Pays the metered call for what its answer uses. */
  payMetered(): Promise<ObservedPayment>
  /** Waits until the catalog lists the API; call it after both payments. */
  findListings(): Promise<void>
  /** Waits until the explorer shows the payments. */
  findPayments(payments: readonly ObservedPayment[]): Promise<void>
}

/**
 * Starts every part, independent ones in parallel. When a part does not start, stops those that did.
 * Throws DemoFailure, or the signal's reason.
 */
export async function startDemo(options: DemoOptions): Promise<RunningDemo> {
  await using parts = new AsyncDisposableStack()
  const { folder, progress, signal } = options
  // Before the ports, which the other demo holds: this is the better message.
  await refuseSecondDemo(folder)
  const { claimed, replaced } = parts.use(await choosePorts(options.ports))
  const claim = { id: randomUUID(), pid: options.pid, apiPort: claimed.api.port }
  const api = serveApi(claimed.api.server, claim.id)
  await part('the demo', takeFolder(folder, claim))
  parts.use(removeStateAtEnd(folder))
  if (replaced.length > 0) options.say(portsReplaced(replaced))

  const [{ network, wallets }, database] = await together([
    startNetwork(options, claimed, parts),
    startDatabase(options, parts),
  ])
  signal.throwIfAborted()

  const environment = options.parts.facilitatorEnvironment({
    host: LOOPBACK,
    port: claimed.facilitator.port,
    explorerPort: claimed.explorer.port,
    rpcUrl: network.httpUrl,
    sponsorSecret: wallets.sponsor.secret,
    uptoContract: uptoContract(passphrases[DEMO_NETWORK]),
    databaseUrl: database?.url,
  })
  const facilitator = await progress.step(
    'facilitator',
    async () => {
      const program = options.parts.facilitator(environment)
      const url = `http://${LOOPBACK}:${claimed.facilitator.port}`
      await claimed.facilitator[Symbol.asyncDispose]()
      await claimed.explorer[Symbol.asyncDispose]()
      return parts.use(
        await startFacilitator(program, url, join(folder, 'facilitator.log'), signal),
      )
    },
    ({ url }) => `svc serve on ${url}`,
  )

  const explorerUrl = `http://${LOOPBACK}:${claimed.explorer.port}`
  const { url: facilitatorUrl } = facilitator
  const state = stateOf(claim, { network, facilitatorUrl, explorerUrl, wallets, environment })
  await progress.step(
    'paid API',
    async () => api.start(sellerOf(options, state, wallets.seller)),
    () => `@x402/express on ${state.paidUrl}`,
  )
  await writeState(folder, state)

  const running = parts.move()
  return {
    state,
    lost: facilitator.lost,
    pay: () => pay(options, state, fixedPrice(state)),
    payMetered: () => pay(options, state, metered(state)),
    findListings: () =>
      progress.step(
        'catalog',
        () => findListings({ ...state, clock: options.clock, signal }),
        () => `found by "${QUESTION}"`,
      ),
    findPayments: (payments) =>
      progress.step(
        'explorer',
        () =>
          findPayments(
            payments.map(({ call }) => call.settlement.transaction),
            { ...state, clock: options.clock, signal },
          ),
        () => `shows the payments on ${explorerUrl}/ui/`,
      ),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

const portsReplaced = (lines: readonly string[]): string =>
  [
    'Other programs have some of the usual ports:',
    ...lines.map((line) => `  ${line}`),
    '',
    '',
  ].join('\n')

async function startNetwork(
  { closeEveryMs, clock, folder, progress, signal }: DemoOptions,
  { network: port, networkTls: tlsPort }: ChosenPorts['claimed'],
  parts: AsyncDisposableStack,
): Promise<{ network: LocalnetServer; wallets: Wallets }> {
  const network = await progress.step(
    'Stellar network',
    async () => {
      await Promise.all([port[Symbol.asyncDispose](), tlsPort[Symbol.asyncDispose]()])
      const starting = startLocalnetServer({
        host: LOOPBACK,
        port: port.port,
        tls: true,
        tlsPort: tlsPort.port,
        stateDirectory: folder,
        closeEveryMs,
        clock,
      })
      return parts.use(await part('the Stellar network', starting))
    },
    ({ network }) =>
      `Soroban host, protocol ${network.host.protocol}, a ledger every ${closeEveryMs / 1000} s`,
  )
  const wallets = await progress.step(
    'accounts',
    () => part('the accounts', fundedWallets(network.httpUrl, signal)),
    () => 'sponsor, buyer and seller, funded',
  )
  return { network, wallets }
}

async function startDatabase(
  { parts, folder, progress }: DemoOptions,
  started: AsyncDisposableStack,
): Promise<Database | undefined> {
  const start = parts.startDatabase
  if (!start) return undefined
  return progress.step(
    'Postgres',
    async () => started.use(await part('Postgres', start(folder))),
    () => 'real Postgres, data in a folder of its own',
  )
}

const sellerOf = (
  { clock }: DemoOptions,
  { facilitatorUrl, paidUrl }: DemoState,
  { address, secret }: Wallet,
) =>
  paidApi({
    facilitatorUrl,
    network: DEMO_NETWORK,
    payTo: address,
    receipts: { signer: payToSigner(secret), origin: new URL(paidUrl).origin },
    clock,
  })

interface StartedParts extends Pick<DemoState, 'facilitatorUrl' | 'explorerUrl' | 'environment'> {
  readonly network: LocalnetServer
  readonly wallets: Wallets
}

function stateOf(
  claim: ClaimedDemo,
  { network, facilitatorUrl, explorerUrl, wallets, environment }: StartedParts,
): DemoState {
  const { caFile } = network
  if (caFile === undefined) throw new Error('the network was started without a certificate')
  return {
    ...claim,
    paidUrl: `http://${LOOPBACK}:${claim.apiPort}${PAID_PATH}`,
    meteredUrl: `http://${LOOPBACK}:${claim.apiPort}${METERED_PATH}`,
    facilitatorUrl,
    explorerUrl,
    networkUrl: network.httpUrl,
    rpcUrl: network.rpcUrl,
    caFile,
    passphrase: passphrases[DEMO_NETWORK],
    buyer: wallets.buyer,
    parties: {
      buyer: wallets.buyer.address,
      seller: wallets.seller.address,
      sponsor: wallets.sponsor.address,
    },
    environment,
  }
}

interface PaidStep {
  readonly name: string
  readonly url: string
  /** The libraries of the buyer's program. */
  readonly client: string
}

const fixedPrice = ({ paidUrl }: DemoState): PaidStep => ({
  name: 'payment',
  url: paidUrl,
  client: 'stock @x402/core and @x402/stellar',
})

const metered = ({ meteredUrl }: DemoState): PaidStep => ({
  name: 'metered payment',
  url: meteredUrl,
  client: 'stock @x402/core with the scheme upto',
})

/** One paid call by a process of its own, with its effect on the ledger. */
async function pay(
  { parts, progress, signal }: DemoOptions,
  state: DemoState,
  { name, url, client }: PaidStep,
): Promise<ObservedPayment> {
  const ledger = ledgerReader(state.networkUrl, state.passphrase)
  return progress.step(
    name,
    async () => {
      const observed = await observePayment(ledger, state.parties)
      const printed = await runChild(parts.buyer({ ...state, url }), signal)
      return observed(readPaidCall(printed))
    },
    () => client,
  )
}

async function part<T>(name: string, starting: Promise<T>): Promise<T> {
  try {
    return await starting
  } catch (error) {
    throw asDemoFailure(name, error)
  }
}

/** Like Promise.all, but after a failure it waits until the other has started, so that it can be stopped. */
async function together<A, B>([a, b]: [Promise<A>, Promise<B>]): Promise<[A, B]> {
  await Promise.allSettled([a, b])
  return Promise.all([a, b])
}
