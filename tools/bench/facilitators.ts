/** Both facilitators, each in its own process. */
import { metered, type Program, startProgram, svcScript } from './program.ts'
import type { StockSettings } from './stock-facilitator.ts'

export interface FacilitatorProcess {
  readonly url: string
  readonly program: Program
}

/** Our default, given to both. */
const MAX_FEE_STROOPS = 300_000

export interface OursOptions {
  readonly rpcUrl: string
  readonly databaseUrl: string
  /** Undefined where `env` says who signs for the sponsor. */
  readonly sponsorSecret?: string | undefined
  readonly channels: number
  /** Folder for a CPU profile. @default no profile */
  readonly profileFolder?: string | undefined
  /** Name in messages and of the profile. @default svc serve */
  readonly name?: string
  /** Whether the meter counts its requests; it loads a client of Postgres into each thread. @default true */
  readonly isMetered?: boolean
  /** Additional settings. */
  readonly env?: Readonly<Record<string, string>>
}

/**
 * Default settings except for the channels, the rate limit, since all requests come from one address, and the explorer,
 * which the pods that take payments do not run.
 */
export async function startOurs(options: OursOptions): Promise<FacilitatorProcess> {
  const program = await startProgram({
    name: options.name ?? 'svc serve',
    args: [...((options.isMetered ?? true) ? metered : []), svcScript, 'serve'],
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      ADMIN_PORT: '0',
      EXPLORER_ENABLED: 'false',
      NETWORKS: 'stellar:testnet',
      TESTNET_RPC_URL: options.rpcUrl,
      ...(options.sponsorSecret !== undefined && {
        TESTNET_SPONSOR_SECRET: options.sponsorSecret,
      }),
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

/** The explorer alone, on this port. All requests come from one address, so none is refused for its rate. */
export const startExplorer = ({
  rpcUrl,
  databaseUrl,
  port,
}: Pick<OursOptions, 'rpcUrl' | 'databaseUrl'> & { readonly port: string }): Promise<Program> =>
  startProgram({
    name: 'svc explorer',
    args: [svcScript, 'explorer'],
    env: {
      HOST: '127.0.0.1',
      EXPLORER_PORT: port,
      ADMIN_PORT: '0',
      NETWORKS: 'stellar:testnet',
      TESTNET_RPC_URL: rpcUrl,
      DATABASE_URL: databaseUrl,
      EXPLORER_RATE_LIMIT_PER_MINUTE: '0',
    },
    isReady: ({ msg }) => msg === 'Service is listening',
  })

export async function startStock(
  options: Omit<StockSettings, 'maxFeeStroops'>,
  profileFolder?: string,
): Promise<FacilitatorProcess> {
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
