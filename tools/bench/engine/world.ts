import { startEmbeddedPostgres } from '../../../src/demo/postgres/embedded-postgres.ts'
import { provisionChannels } from '../../../src/payments/channels/create/provision.ts'
import { keysOfSeed } from '../../../src/payments/channels/sponsor-keys.ts'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import type { StellarRpc } from '../../../src/stellar/rpc/rpc.ts'
import { rpcClient } from '../../../src/stellar/rpc/rpc-client.ts'
import { type Accounts, addressesOf, openAccounts } from '../accounts.ts'
import { type FindTransaction, ledgerAt } from '../confirmed-transaction.ts'
import { type FacilitatorProcess, startOurs, startStock } from '../facilitators.ts'
import { type Program, startProgram, svcScript } from '../program.ts'
import { openStockChannels } from '../stock-channels.ts'
import { LedgerCloser } from './ledger-closer.ts'

export interface EngineOptions {
  /** Limits of a ledger. */
  readonly limits: 'testnet' | 'none'
  /** Channels of each facilitator. */
  readonly channels: number
  readonly profileFolder?: string | undefined
}

/** A network whose ledgers close every 5 s, with accounts and channels for each facilitator. */
export interface EngineWorld extends AsyncDisposable {
  readonly rpcUrl: string
  readonly rpc: StellarRpc
  readonly findTransaction: FindTransaction
  readonly maker: Accounts['maker']
  readonly ledgerCloser: LedgerCloser
  /** Starts another replica on the same database; its number is part of its name. */
  startReplica(number: number): Promise<FacilitatorProcess>
  startStock(): Promise<FacilitatorProcess>
}

/** About as on testnet and pubnet. */
const CLOSE_EVERY_MS = 5_000
/** While accounts are created. Close times are whole seconds and differ, so a ledger takes at least 1 s. */
const SETUP_CLOSE_EVERY_MS = 1_000

/**
 * The client assumes 5 s per ledger. The facilitator uses the observed time, rounded up: 6 s when a ledger
 * was late. A signature for the longest allowed time could then expire too late; one for this time does not.
 */
const SIGNED_FOR_SECONDS = 240
/** So long that the reconciler sends no statement during a measurement. */
const env = { RECONCILE_INTERVAL_MS: '600000' }

export async function openEngineWorld(options: EngineOptions): Promise<EngineWorld> {
  await using opened = new AsyncDisposableStack()
  const { channels, profileFolder } = options
  const [localnet, postgres] = await Promise.all([
    startLocalnetServer(options),
    startEmbeddedPostgres(),
  ])
  opened.use(localnet)
  opened.use(postgres)
  const addresses = addressesOf(localnet.ready)
  const { rpcUrl } = addresses
  const ledgerCloser = opened.use(new LedgerCloser(rpcUrl, SETUP_CLOSE_EVERY_MS))
  const { maker, oursSponsor, stockSponsor } = await openAccounts(addresses, SIGNED_FOR_SECONDS)
  const rpc = rpcClient({ url: rpcUrl, allowHttp: true })
  const [channelSecrets] = await Promise.all([
    openStockChannels(rpc, stockSponsor, channels),
    openOurChannels(rpc, oursSponsor, channels),
  ])
  ledgerCloser.setInterval(CLOSE_EVERY_MS)
  const replica = { rpcUrl, databaseUrl: postgres.url, sponsorSecret: oursSponsor, channels, env }
  const resources = opened.move()
  return {
    ...{ rpcUrl, rpc, maker, ledgerCloser },
    findTransaction: ledgerAt(rpcUrl),
    startReplica: (number) => startOurs({ ...replica, profileFolder, name: `svc serve ${number}` }),
    startStock: () =>
      startStock({ rpcUrl, sponsorSecret: stockSponsor, channelSecrets }, profileFolder),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** On the ledger only; the facilitator finds them there at its start. */
const openOurChannels = (rpc: StellarRpc, sponsorSecret: string, count: number): Promise<void> =>
  provisionChannels({
    keepSpendable: asStroops(0n),
    network: 'stellar:testnet',
    ...{ keys: keysOfSeed(sponsorSecret), count, rpc },
    inclusionFee: asStroops(100n),
    store: undefined,
    clock: systemClock,
    log: createLogger({ level: 'warn' }),
    signal: new AbortController().signal,
  })

const startLocalnetServer = ({ limits, profileFolder }: EngineOptions): Promise<Program> =>
  startProgram({
    name: `svc localnet ${limits}`,
    args: [
      ...[svcScript, 'localnet', '--port', '0', '--tls', '--tls-port', '0'],
      ...['--close-every', 'manual', '--limits', limits],
      // Creating the channels of both facilitators at once takes many classic operations.
      ...['--max-operations', '1000'],
    ],
    isReady: ({ ready }) => ready === true,
    profileFolder,
  })
