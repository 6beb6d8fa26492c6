import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import type { StellarRpc } from '../../src/stellar/rpc/rpc.ts'
import { rpcClient } from '../../src/stellar/rpc/rpc-client.ts'
import { addressesOf, openAccounts } from './accounts.ts'
import { type FindTransaction, ledgerAt } from './confirmed-transaction.ts'
import { type FacilitatorProcess, startOurs, startStock } from './facilitators.ts'
import type { PaymentMaker } from './payment-maker.ts'
import { type Program, startProgram, svcScript } from './program.ts'
import { openStockChannels } from './stock-channels.ts'

export interface WorldOptions {
  /** Channels of each facilitator. */
  readonly channels: number
  readonly closeEveryMs: number
  /** Folder for a CPU profile of each process. @default no profiles */
  readonly profileFolder?: string | undefined
}

/** One network and both facilitators on it, each in its own process. */
export interface World extends AsyncDisposable {
  readonly rpc: StellarRpc
  readonly findTransaction: FindTransaction
  readonly maker: PaymentMaker
  readonly ours: FacilitatorProcess
  readonly stock: FacilitatorProcess
}

export async function openWorld(options: WorldOptions): Promise<World> {
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
  const { maker, oursSponsor, stockSponsor } = await openAccounts(addresses)
  const rpc = rpcClient({ url: rpcUrl, allowHttp: true })
  const databaseUrl = postgres.url
  const ours = await startOurs({
    ...{ rpcUrl, databaseUrl, channels, profileFolder },
    sponsorSecret: oursSponsor,
  })
  opened.use(ours.program)
  const channelSecrets = await openStockChannels(rpc, stockSponsor, channels)
  const stock = await startStock(
    { rpcUrl, sponsorSecret: stockSponsor, channelSecrets },
    profileFolder,
  )
  opened.use(stock.program)
  const resources = opened.move()
  return {
    ...{ rpc, maker, ours, stock },
    findTransaction: ledgerAt(rpcUrl),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const startLocalnetServer = ({ closeEveryMs, profileFolder }: WorldOptions): Promise<Program> =>
  startProgram({
    name: 'svc localnet',
    args: [
      ...[svcScript, 'localnet', '--port', '0', '--tls', '--tls-port', '0'],
      ...['--close-every', `${closeEveryMs}ms`],
    ],
    isReady: ({ ready }) => ready === true,
    profileFolder,
  })
