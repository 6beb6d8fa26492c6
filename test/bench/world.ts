import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { stayOnThisMachine } from '../../src/demo/this-machine-only.ts'
import { newWallet, type Wallet } from '../../src/demo/wallets.ts'
import type { StellarRpc } from '../../src/stellar/rpc.ts'
import { rpcClient } from '../../src/stellar/rpc-client.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded-postgres.ts'
import { type AskLedger, ledgerAt } from './landed.ts'
import { PaymentMaker } from './payment-maker.ts'
import { metered, type Program, startProgram, svcScript } from './program.ts'
import { openStockChannels } from './stock-channels.ts'
import type { StockSettings } from './stock-facilitator.ts'

export interface WorldOptions {
  /** Of either facilitator. */
  readonly channels: number
  readonly closeEveryMs: number
  /** Where every process leaves a CPU profile, if anywhere. */
  readonly profileFolder?: string | undefined
}

export interface Contender {
  readonly url: string
  readonly program: Program
}

/** One network and both facilitators on it, each in a process of its own. */
export interface World extends AsyncDisposable {
  readonly rpc: StellarRpc
  readonly ask: AskLedger
  readonly maker: PaymentMaker
  readonly ours: Contender
  readonly stock: Contender
}

const PAYERS = 25
const SELLERS = 5
/** What one payment may cost the sponsor: our default, given to both. */
const MAX_FEE_STROOPS = 300_000

export async function openWorld(options: WorldOptions): Promise<World> {
  await using opened = new AsyncDisposableStack()
  const { channels } = options
  const [localnet, postgres] = await Promise.all([startLocalnet(options), startEmbeddedPostgres()])
  opened.use(localnet)
  opened.use(postgres)
  const { rpcUrl, httpsUrl, caFile } = localnet.ready as Record<string, string>
  if (!rpcUrl || !httpsUrl || !caFile) throw new Error('the network said nothing of its addresses')
  // The stock client asks Horizon for each payment, and wants https of its RPC.
  stayOnThisMachine()
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(caFile, 'utf8')])

  const rpc = rpcClient({ url: rpcUrl, allowHttp: true })
  const [sponsors, payers, sellers] = [wallets(2), wallets(PAYERS), wallets(SELLERS)]
  await Promise.all([
    ...sponsors.map(({ address }) => get(`${rpcUrl}/friendbot?addr=${address}`)),
    ...[...payers, ...sellers].map(({ address }) =>
      get(`${rpcUrl}/faucet?addr=${address}&asset=USDC&amount=1000`),
    ),
  ])
  const [oursSponsor, stockSponsor] = sponsors.map(({ secret }) => secret) as [string, string]
  const ours = opened.use(await startOurs(options, rpcUrl, postgres.url, oursSponsor))
  const channelSecrets = await openStockChannels(rpc, stockSponsor, channels)
  const stock = opened.use(
    await startStock(options, {
      rpcUrl,
      sponsorSecret: stockSponsor,
      channelSecrets,
      maxFeeStroops: MAX_FEE_STROOPS,
    }),
  )
  const resources = opened.move()
  return {
    rpc,
    ask: ledgerAt(rpcUrl),
    maker: new PaymentMaker({
      rpcUrl: httpsUrl,
      payers,
      sellers: sellers.map(({ address }) => address),
    }),
    ours: { url: String(ours.ready['url']), program: ours },
    stock: { url: String(stock.ready['url']), program: stock },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const wallets = (count: number): Wallet[] => Array.from({ length: count }, newWallet)

async function get(url: string): Promise<void> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  await response.body?.cancel()
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

/** As an operator would start it, but for the channels and for all the load coming from one address. */
const startOurs = (
  { channels, profileFolder }: WorldOptions,
  rpcUrl: string,
  databaseUrl: string,
  sponsorSecret: string,
): Promise<Program> =>
  startProgram({
    name: 'svc serve',
    args: [...metered, svcScript, 'serve'],
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      NETWORKS: 'stellar:testnet',
      TESTNET_RPC_URL: rpcUrl,
      TESTNET_SPONSOR_SECRET: sponsorSecret,
      RATE_LIMIT_PER_MINUTE: '0',
      TESTNET_CHANNEL_COUNT: String(channels),
      TESTNET_MAX_TX_FEE_STROOPS: String(MAX_FEE_STROOPS),
      DATABASE_URL: databaseUrl,
    },
    isReady: ({ msg }) => msg === 'Service is listening',
    profileFolder,
  })

const startStock = ({ profileFolder }: WorldOptions, settings: StockSettings): Promise<Program> =>
  startProgram({
    name: 'the stock facilitator',
    args: [...metered, new URL('stock-facilitator.ts', import.meta.url).pathname],
    env: { STOCK_SETTINGS: JSON.stringify(settings) },
    isReady: ({ url }) => typeof url === 'string',
    profileFolder,
  })
