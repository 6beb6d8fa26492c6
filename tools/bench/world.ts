import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import type { StellarRpc } from '../../src/stellar/rpc.ts'
import { rpcClient } from '../../src/stellar/rpc-client.ts'
import { type Contender, startOurs, startStock } from './contenders.ts'
import { type AskLedger, ledgerAt } from './landed.ts'
import type { PaymentMaker } from './payment-maker.ts'
import { addressesOf, openPeople } from './people.ts'
import { type Program, startProgram, svcScript } from './program.ts'
import { openStockChannels } from './stock-channels.ts'

export interface WorldOptions {
  /** Of either facilitator. */
  readonly channels: number
  readonly closeEveryMs: number
  /** Where every process leaves a CPU profile, if anywhere. */
  readonly profileFolder?: string | undefined
}

/** One network and both facilitators on it, each in a process of its own. */
export interface World extends AsyncDisposable {
  readonly rpc: StellarRpc
  readonly ask: AskLedger
  readonly maker: PaymentMaker
  readonly ours: Contender
  readonly stock: Contender
}

export async function openWorld(options: WorldOptions): Promise<World> {
  await using opened = new AsyncDisposableStack()
  const { channels, profileFolder } = options
  const [localnet, postgres] = await Promise.all([startLocalnet(options), startEmbeddedPostgres()])
  opened.use(localnet)
  opened.use(postgres)
  const addresses = addressesOf(localnet.ready)
  const { rpcUrl } = addresses
  const { maker, oursSponsor, stockSponsor } = await openPeople(addresses)
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
    ask: ledgerAt(rpcUrl),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const startLocalnet = ({ closeEveryMs, profileFolder }: WorldOptions): Promise<Program> =>
  startProgram({
    name: 'svc localnet',
    args: [
      ...[svcScript, 'localnet', '--port', '0', '--tls', '--tls-port', '0'],
      ...['--close-every', `${closeEveryMs}ms`],
    ],
    isReady: ({ ready }) => ready === true,
    profileFolder,
  })
