/** Both facilitators, each started in a process of its own. */
import { metered, type Program, startProgram, svcScript } from './program.ts'
import type { StockSettings } from './stock-facilitator.ts'

export interface Contender {
  readonly url: string
  readonly program: Program
}

/** What one payment may cost the sponsor: our default, given to both. */
const MAX_FEE_STROOPS = 300_000

export interface OursOptions {
  readonly rpcUrl: string
  readonly databaseUrl: string
  readonly sponsorSecret: string
  readonly channels: number
  /** Where it leaves a CPU profile, if anywhere. */
  readonly profileFolder?: string | undefined
  /** Shown in messages, and of the profile. @default svc serve */
  readonly name?: string
  /** Settings beside those that the bench needs. */
  readonly env?: Readonly<Record<string, string>>
}

/** As an operator would start it, but for the channels and for all the load coming from one address. */
export async function startOurs(options: OursOptions): Promise<Contender> {
  const program = await startProgram({
    name: options.name ?? 'svc serve',
    args: [...metered, svcScript, 'serve'],
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      NETWORKS: 'stellar:testnet',
      TESTNET_RPC_URL: options.rpcUrl,
      TESTNET_SPONSOR_SECRET: options.sponsorSecret,
      RATE_LIMIT_PER_MINUTE: '0',
      TESTNET_CHANNEL_COUNT: String(options.channels),
      TESTNET_MAX_TX_FEE_STROOPS: String(MAX_FEE_STROOPS),
      DATABASE_URL: options.databaseUrl,
      ...options.env,
    },
    isReady: ({ msg }) => msg === 'Service is listening',
    profileFolder: options.profileFolder,
  })
  return { url: String(program.ready['url']), program }
}

export async function startStock(
  options: Omit<StockSettings, 'maxFeeStroops'>,
  profileFolder?: string,
): Promise<Contender> {
  const settings: StockSettings = { ...options, maxFeeStroops: MAX_FEE_STROOPS }
  const program = await startProgram({
    name: 'the stock facilitator',
    args: [...metered, new URL('stock-facilitator.ts', import.meta.url).pathname],
    env: { STOCK_SETTINGS: JSON.stringify(settings) },
    isReady: ({ url }) => typeof url === 'string',
    profileFolder,
  })
  return { url: String(program.ready['url']), program }
}
