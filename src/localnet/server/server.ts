import type { Server } from 'node:http'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { AsyncDisposableStack } from '../../platform/core/language/disposable-stack.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import type { AppliedTransaction, ClosedLedger } from '../closing/history.ts'
import { instantLedgers } from '../closing/instant-ledgers.ts'
import { startLedgerTimer } from '../closing/ledger-timer.ts'
import { faucetRoute, friendbotRoute } from '../faucet/routes.ts'
import type { FaucetRequest } from '../faucet/transaction.ts'
import type { LocalnetOptions } from '../localnet-options.ts'
import { Localnet } from '../network.ts'
import type { Route } from '../rpc/listener.ts'
import { createListener } from '../rpc/listener.ts'
import { methodNames, rpcMethods } from '../rpc/methods.ts'
import { readStateFile, writeStateFile } from '../snapshot/state-file.ts'
import { createLocalCertificate } from './tls.ts'

/** Options of a new network; ignored when `network` is given. */
type NewNetworkOptions = Pick<
  LocalnetOptions,
  | 'limits'
  | 'maxOperations'
  | 'retainLedgers'
  | 'metaVersion'
  | 'shuffleChanges'
  | 'entryTtls'
  | 'upto'
>

export interface LocalnetServerOptions extends NewNetworkOptions {
  /** @default a new network with testnet's passphrase */
  readonly network?: Localnet
  /** Address to listen on. @default 127.0.0.1 */
  readonly host?: string
  /** @default 0, a free port */
  readonly port?: number
  /** Also serve https, on its own port, with a certificate of an authority of its own. */
  readonly tls?: boolean
  /** @default 0, a free port */
  readonly tlsPort?: number
  /** Directory that keeps the certificate and its authority. @default a temporary one, removed on close */
  readonly stateDirectory?: string
  /** A new network continues from the ledger in this file, if it exists. Written on close. */
  readonly stateFile?: string
  /**
   * Milliseconds; `manual`: only `closeLedger` and `POST /close` close ledgers; `instant`: so does each transaction
   * that the RPC accepts, before the RPC answers. @default 5000
   */
  readonly closeEveryMs?: CloseEvery
  /** Times the closes, and is the clock of a new network. @default the system clock */
  readonly clock?: Clock
  readonly log?: (line: string) => void
}

export interface LocalnetServer extends AsyncDisposable {
  readonly network: Localnet
  /** `httpsUrl` with `tls`, otherwise `httpUrl`. */
  readonly rpcUrl: string
  /** Without a trailing slash. */
  readonly httpUrl: string
  /** With `tls`. */
  readonly httpsUrl?: string
  /** PEM file of the authority behind `httpsUrl`, for NODE_EXTRA_CA_CERTS. */
  readonly caFile?: string
  closeLedger(): Promise<ClosedLedger>
  /** Resolves when the ledger with the payment has closed. */
  pay(request: FaucetRequest): Promise<AppliedTransaction>
  close(): Promise<void>
}

type CloseEvery = number | 'manual' | 'instant'

const DEFAULT_CLOSE_MS = 5000

/**
 * How long an idle connection stays open. A client that a busy machine delays past this sends its next request into a
 * connection that is being closed, and that request fails. Node would close it after five seconds.
 */
const IDLE_MS = 120_000

/**
 * Starts a network and its HTTP servers. Rejects when a port is taken, and with StateFileError or
 * SnapshotMismatch when the state file does not fit.
 */
export async function startLocalnetServer(
  options: LocalnetServerOptions = {},
): Promise<LocalnetServer> {
  const { clock = systemClock, closeEveryMs = DEFAULT_CLOSE_MS, log = () => undefined } = options
  const network = options.network ?? (await newNetwork(options, { clock, closeEveryMs, log }))
  const closeLedger = () => network.closeLedger()
  const pay = payer(network, closeEveryMs)
  await using opened = new AsyncDisposableStack()
  const stateWriter = opened.use(new StateWriter(network, options.stateFile))
  const endpoints = await listenAll({ network, clock, closeEveryMs, pay }, options, opened)
  if (typeof closeEveryMs === 'number') {
    opened.use(startLedgerTimer(closeLedger, { everyMs: closeEveryMs, clock, log }))
  }
  stateWriter.isReady = true
  const running = opened.move()
  const close = () => running.disposeAsync()
  return { network, ...endpoints, closeLedger, pay, close, [Symbol.asyncDispose]: close }
}

interface ServedNetwork {
  readonly network: Localnet
  readonly clock: Clock
  readonly closeEveryMs: CloseEvery
  readonly pay: LocalnetServer['pay']
}

type Endpoints = Pick<LocalnetServer, 'rpcUrl' | 'httpUrl' | 'httpsUrl' | 'caFile'>

/** Listens on http and, with `tls`, on https. Registers each server with `opened`. */
async function listenAll(
  { network, clock, closeEveryMs, pay }: ServedNetwork,
  { host = '127.0.0.1', port = 0, tls, tlsPort = 0, stateDirectory }: LocalnetServerOptions,
  opened: AsyncDisposableStack,
): Promise<Endpoints> {
  const routes = new Map<string, Route>([
    ['/friendbot', friendbotRoute(network, pay)],
    ['/faucet', faucetRoute(pay)],
    ['/close', closeRoute(() => network.closeLedger())],
  ])
  const beforeAnswer = closeEveryMs === 'instant' ? instantLedgers(network) : undefined
  const open = async (server: Server, scheme: string, requestedPort: number): Promise<string> => {
    opened.defer(() => closeServer(server))
    server.keepAliveTimeout = IDLE_MS
    const url = `${scheme}://${urlHost(host)}:${await listen(server, requestedPort, host)}`
    const methods = rpcMethods({
      network,
      clock,
      closeEveryMs: typeof closeEveryMs === 'number' ? closeEveryMs : 'manual',
      friendbotUrl: `${url}/friendbot`,
    })
    const listener = createListener({ methods, routes, about: about(network, url), beforeAnswer })
    server.on('request', listener)
    return url
  }
  const httpUrl = await open(createHttpServer(), 'http', port)
  if (!tls) return { rpcUrl: httpUrl, httpUrl }
  // Clients check certificates against the real time, which the ledgers' clock may not have.
  const certificate = await createLocalCertificate(systemClock.now(), stateDirectory)
  opened.defer(certificate.remove)
  const httpsUrl = await open(createHttpsServer(certificate), 'https', tlsPort)
  return { rpcUrl: httpsUrl, httpUrl, httpsUrl, caFile: certificate.caFile }
}

async function newNetwork(
  {
    limits,
    maxOperations,
    retainLedgers,
    metaVersion,
    shuffleChanges,
    entryTtls,
    upto,
    stateFile,
  }: LocalnetServerOptions,
  {
    clock,
    closeEveryMs,
    log,
  }: Required<Pick<LocalnetServerOptions, 'clock' | 'closeEveryMs' | 'log'>>,
): Promise<Localnet> {
  const closeMs = typeof closeEveryMs === 'number' ? closeEveryMs : DEFAULT_CLOSE_MS
  const snapshot = stateFile === undefined ? undefined : await readStateFile(stateFile)
  return new Localnet({
    clock,
    log,
    expectedCloseSeconds: Math.ceil(closeMs / 1000),
    // At a second for each ledger, many transactions in one second would take close times ahead of the clock.
    ...(closeEveryMs === 'instant' && { minCloseTimeStep: 0 }),
    ...(limits && { limits }),
    ...(maxOperations && { maxOperations }),
    ...(retainLedgers && { retainLedgers }),
    ...(metaVersion && { metaVersion }),
    ...(shuffleChanges !== undefined && { shuffleChanges }),
    ...(entryTtls && { entryTtls }),
    ...(upto !== undefined && { upto }),
    ...(snapshot && { snapshot }),
  })
}

/** Writes the state file after the ledger timer has stopped; not when the start failed. */
class StateWriter implements AsyncDisposable {
  readonly #network: Localnet
  readonly #file: string | undefined
  isReady = false

  constructor(network: Localnet, file: string | undefined) {
    this.#network = network
    this.#file = file
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#file === undefined || !this.isReady) return
    await writeStateFile(this.#file, await this.#network.snapshot())
  }
}

/** Without a timer, a payment closes the ledger that it waits for. */
function payer(network: Localnet, closeEveryMs: CloseEvery) {
  return async (request: FaucetRequest): Promise<AppliedTransaction> => {
    const closing = typeof closeEveryMs === 'number' ? async () => {} : () => network.closeLedger()
    // Requested before the close, and awaited together, because either can fail.
    const [paid] = await Promise.all([network.faucet(request), closing()])
    return paid
  }
}

/** `POST /close`, which Stellar RPC does not have. */
const closeRoute =
  (closeLedger: () => Promise<ClosedLedger>): Route =>
  async (_, method) => {
    if (method !== 'POST') return { status: 405, body: { detail: 'POST closes a ledger' } }
    const { sequence, closeTime, hash, transactions } = await closeLedger()
    return { status: 200, body: { sequence, closeTime, hash, transactions: transactions.length } }
  }

const about = (network: Localnet, url: string) => ({
  name: 'svc localnet',
  description: 'A Stellar network of one node. It answers Stellar RPC: POST JSON-RPC 2.0.',
  passphrase: network.passphrase,
  protocolVersion: network.host.protocol,
  methods: methodNames,
  friendbot: `${url}/friendbot?addr={G or C address}`,
  faucet: `${url}/faucet?addr={address}&asset={USDC or XLM}&amount={decimal}`,
  close: `POST ${url}/close`,
})

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(portOf(server.address()))
    })
  })

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('listening without a port')
  return address.port
}

const closeServer = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** A client cannot connect to a wildcard address. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
