import type { Server } from 'node:http'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../core/clock.ts'
import { systemClock } from '../core/clock.ts'
import type { FaucetRequest } from './faucet/parameters.ts'
import { faucetRoute, friendbotRoute } from './faucet/routes.ts'
import type { AppliedTransaction, ClosedLedger } from './history.ts'
import { startLedgerTimer } from './ledger-timer.ts'
import { Localnet, type LocalnetOptions } from './network.ts'
import type { Route } from './rpc/listener.ts'
import { createListener } from './rpc/listener.ts'
import { methodNames, rpcMethods } from './rpc/methods.ts'
import { readStateFile, writeStateFile } from './snapshot/state-file.ts'
import { createLocalCertificate } from './tls.ts'

/** What a network made here is made with; of no effect on one that is given. */
type OfNewNetwork = Pick<
  LocalnetOptions,
  'limits' | 'maxOperations' | 'retainLedgers' | 'metaVersion' | 'lifetimes'
>

export interface LocalnetServerOptions extends OfNewNetwork {
  /** @default a new network with testnet's passphrase */
  readonly network?: Localnet
  /** Address to listen on. @default 127.0.0.1 */
  readonly host?: string
  /** @default 0, a free port */
  readonly port?: number
  /** Serve https on a port of its own as well, under an authority made for this start. */
  readonly tls?: boolean
  /** @default 0, a free port */
  readonly tlsPort?: number
  /** Where the authority's certificate is left. @default a temporary directory, removed on close */
  readonly stateDirectory?: string
  /**
   * A network made here goes on from the ledger in this file, where there is one, and any network is
   * written to it on close.
   */
  readonly stateFile?: string
  /** `manual` closes a ledger only when asked to. @default 5000 */
  readonly closeEveryMs?: number | 'manual'
  /** Stamps and paces ledgers; only for a network made here does it stamp. @default the system clock */
  readonly clock?: Clock
  readonly log?: (line: string) => void
}

export interface LocalnetServer extends AsyncDisposable {
  readonly network: Localnet
  /** What a client that insists on https is given: https with `tls`, plain http without. */
  readonly rpcUrl: string
  /** Plain http, without a trailing slash; always served. */
  readonly httpUrl: string
  /** With `tls`. */
  readonly httpsUrl?: string
  /** PEM file of the authority behind `httpsUrl`, for NODE_EXTRA_CA_CERTS. */
  readonly caFile?: string
  closeLedger(): Promise<ClosedLedger>
  /** Pays and resolves when the ledger that holds the payment has closed. */
  pay(gift: FaucetRequest): Promise<AppliedTransaction>
  close(): Promise<void>
}

const USUAL_CLOSE_MS = 5000

/**
 * Starts a network of one node and everything that speaks for it. Rejects when a port is taken, with
 * StateFileError or SnapshotMismatch when the state file is not for this network.
 */
export async function startLocalnet(options: LocalnetServerOptions = {}): Promise<LocalnetServer> {
  const { clock = systemClock, closeEveryMs = USUAL_CLOSE_MS, log = () => undefined } = options
  const network = options.network ?? (await newNetwork(options, { clock, closeEveryMs, log }))
  const closeLedger = () => network.closeLedger()
  const pay = payer(network, closeEveryMs)
  await using opened = new AsyncDisposableStack()
  const keeper = opened.use(new StateKeeper(network, options.stateFile))
  const doors = await openDoors({ network, clock, closeEveryMs, pay }, options, opened)
  if (closeEveryMs !== 'manual') {
    opened.use(startLedgerTimer(closeLedger, { everyMs: closeEveryMs, clock, log }))
  }
  keeper.isReady = true
  const running = opened.move()
  const close = () => running.disposeAsync()
  return { network, ...doors, closeLedger, pay, close, [Symbol.asyncDispose]: close }
}

interface Served {
  readonly network: Localnet
  readonly clock: Clock
  readonly closeEveryMs: number | 'manual'
  readonly pay: LocalnetServer['pay']
}

type Doors = Pick<LocalnetServer, 'rpcUrl' | 'httpUrl' | 'httpsUrl' | 'caFile'>

/** Listens on http and, when asked to, on https; whatever is opened is closed with `opened`. */
async function openDoors(
  { network, clock, closeEveryMs, pay }: Served,
  { host = '127.0.0.1', port = 0, tls, tlsPort = 0, stateDirectory }: LocalnetServerOptions,
  opened: AsyncDisposableStack,
): Promise<Doors> {
  const routes = new Map<string, Route>([
    ['/friendbot', friendbotRoute(network, pay)],
    ['/faucet', faucetRoute(pay)],
    ['/close', closeRoute(() => network.closeLedger())],
  ])
  const open = async (server: Server, scheme: string, wanted: number): Promise<string> => {
    opened.defer(() => shut(server))
    const url = `${scheme}://${urlHost(host)}:${await listen(server, wanted, host)}`
    const context = { network, clock, closeEveryMs, friendbotUrl: `${url}/friendbot` }
    server.on('request', createListener(rpcMethods(context), routes, about(network, url)))
    return url
  }
  const httpUrl = await open(createHttpServer(), 'http', port)
  if (!tls) return { rpcUrl: httpUrl, httpUrl }
  // Certificates are judged by the clock of whoever connects, whatever time the ledgers keep.
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
    lifetimes,
    stateFile,
  }: LocalnetServerOptions,
  {
    clock,
    closeEveryMs,
    log,
  }: Required<Pick<LocalnetServerOptions, 'clock' | 'closeEveryMs' | 'log'>>,
): Promise<Localnet> {
  const pace = closeEveryMs === 'manual' ? USUAL_CLOSE_MS : closeEveryMs
  const snapshot = stateFile === undefined ? undefined : await readStateFile(stateFile)
  return new Localnet({
    clock,
    log,
    expectedCloseSeconds: Math.ceil(pace / 1000),
    ...(limits && { limits }),
    ...(maxOperations && { maxOperations }),
    ...(retainLedgers && { retainLedgers }),
    ...(metaVersion && { metaVersion }),
    ...(lifetimes && { lifetimes }),
    ...(snapshot && { snapshot }),
  })
}

/** Writes the state file once nothing closes ledgers any more; not when the start itself failed. */
class StateKeeper implements AsyncDisposable {
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

/** Without a pace nobody else would close the ledger a payment waits for, so paying closes one. */
function payer(network: Localnet, closeEveryMs: number | 'manual') {
  return async (gift: FaucetRequest): Promise<AppliedTransaction> => {
    const closing = closeEveryMs === 'manual' ? () => network.closeLedger() : async () => {}
    // Asked for before the ledger closes, and waited for together: either may be the one to fail.
    const [paid] = await Promise.all([network.faucet(gift), closing()])
    return paid
  }
}

/** `POST /close`: ours alone, for networks without a pace. */
const closeRoute =
  (closeLedger: () => Promise<ClosedLedger>): Route =>
  async (_, method) => {
    if (method !== 'POST') return { status: 405, body: { detail: 'POST closes a ledger' } }
    const { sequence, closeTime, hash, transactions } = await closeLedger()
    return { status: 200, body: { sequence, closeTime, hash, transactions: transactions.length } }
  }

const about = (network: Localnet, url: string) => ({
  name: 'svc localnet',
  description: 'A Stellar network of one node. Speak Stellar RPC here: POST JSON-RPC 2.0.',
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

const shut = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** Wildcards listen everywhere but are no address to call. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
