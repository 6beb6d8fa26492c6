import { provisionChannels } from '../../../src/channels/provision.ts'
import { passphrases } from '../../../src/core/caip2.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { asStroops } from '../../../src/core/stroops.ts'
import { startEmbeddedPostgres } from '../../../src/demo/postgres/embedded-postgres.ts'
import type { StellarRpc } from '../../../src/stellar/rpc.ts'
import { rpcClient } from '../../../src/stellar/rpc-client.ts'
import { createLogger } from '../../../src/telemetry/logger.ts'
import { type Contender, startOurs, startStock } from '../contenders.ts'
import { type AskLedger, ledgerAt } from '../landed.ts'
import { addressesOf, openPeople, type People } from '../people.ts'
import { type Program, startProgram, svcScript } from '../program.ts'
import { openStockChannels } from '../stock-channels.ts'
import { Metronome } from './metronome.ts'

export interface EngineOptions {
  /** Of a ledger: as testnet's, or none. */
  readonly limits: 'testnet' | 'none'
  /** Of either facilitator. */
  readonly channels: number
  readonly profileFolder?: string | undefined
}

/** A network whose ledgers close every 5 s, and accounts and channels for either facilitator. */
export interface EngineWorld extends AsyncDisposable {
  readonly rpcUrl: string
  readonly rpc: StellarRpc
  readonly ask: AskLedger
  readonly maker: People['maker']
  readonly metronome: Metronome
  /** Starts one more replica on the one database; its number is for its name. */
  startReplica(number: number): Promise<Contender>
  startStock(): Promise<Contender>
}

/** As testnet and pubnet do, about. */
const CLOSE_EVERY_MS = 5_000
/** While accounts are made: close times are whole seconds, and ledgers each have one of their own. */
const SETUP_CLOSE_EVERY_MS = 1_000

/**
 * The client counts 5 s a ledger, the facilitator what it sees, rounded up: 6 where one was late. By
 * that a signature for the longest time reaches too far, and one for this long does not.
 */
const SIGNED_FOR_SECONDS = 240
/** The reconciler looks so seldom that every statement counted is a settlement's. */
const env = { RECONCILE_INTERVAL_MS: '600000' }

export async function openEngineWorld(options: EngineOptions): Promise<EngineWorld> {
  await using opened = new AsyncDisposableStack()
  const { channels, profileFolder } = options
  const [localnet, postgres] = await Promise.all([startLocalnet(options), startEmbeddedPostgres()])
  opened.use(localnet)
  opened.use(postgres)
  const addresses = addressesOf(localnet.ready)
  const { rpcUrl } = addresses
  const metronome = opened.use(new Metronome(rpcUrl, SETUP_CLOSE_EVERY_MS))
  const { maker, oursSponsor, stockSponsor } = await openPeople(addresses, SIGNED_FOR_SECONDS)
  const rpc = rpcClient({ url: rpcUrl, allowHttp: true })
  const [channelSecrets] = await Promise.all([
    openStockChannels(rpc, stockSponsor, channels),
    openOurChannels(rpc, oursSponsor, channels),
  ])
  metronome.pace(CLOSE_EVERY_MS)
  const replica = { rpcUrl, databaseUrl: postgres.url, sponsorSecret: oursSponsor, channels, env }
  const resources = opened.move()
  return {
    ...{ rpcUrl, rpc, maker, metronome },
    ask: ledgerAt(rpcUrl),
    startReplica: (number) => startOurs({ ...replica, profileFolder, name: `svc serve ${number}` }),
    startStock: () =>
      startStock({ rpcUrl, sponsorSecret: stockSponsor, channelSecrets }, profileFolder),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** On the ledger only; a facilitator that starts finds them there. */
const openOurChannels = (rpc: StellarRpc, sponsorSecret: string, count: number): Promise<void> =>
  provisionChannels({
    network: 'stellar:testnet',
    passphrase: passphrases['stellar:testnet'],
    ...{ sponsorSecret, count, rpc },
    inclusionFee: asStroops(100n),
    store: undefined,
    clock: systemClock,
    log: createLogger({ level: 'warn' }),
    signal: new AbortController().signal,
  })

const startLocalnet = ({ limits, profileFolder }: EngineOptions): Promise<Program> =>
  startProgram({
    name: `svc localnet ${limits}`,
    args: [
      ...[svcScript, 'localnet', '--port', '0', '--tls', '--tls-port', '0'],
      ...['--close-every', 'manual', '--limits', limits],
      // Only the channels of both facilitators, made side by side, are classic transactions.
      ...['--max-operations', '1000'],
    ],
    isReady: ({ ready }) => ready === true,
    profileFolder,
  })
