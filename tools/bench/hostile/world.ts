import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Keypair } from '@stellar/stellar-sdk'
import { startEmbeddedPostgres } from '../../../src/demo/postgres/embedded-postgres.ts'
import { newWallet } from '../../../src/demo/wallets.ts'
import { passphrases } from '../../../src/platform/core/caip2.ts'
import { openStore, type Store } from '../../../src/platform/database/open.ts'
import { rpcClient } from '../../../src/stellar/rpc/rpc-client.ts'
import type { ContractNetwork } from '../../../test/support/contracts.ts'
import { freePort } from '../../../test/support/free-port.ts'
import type { SigningNetwork, Wallet } from '../../../test/support/payments.ts'
import { startExplorer, startOurs } from '../facilitators.ts'
import type { MeterReading } from '../meter.ts'
import { startProgram, svcScript } from '../program.ts'

export interface HostileWorld extends AsyncDisposable {
  /** URL of the facilitator. */
  readonly url: string
  /** URL of the explorer, if there is one. */
  readonly explorerUrl: string
  readonly readMeter: () => Promise<MeterReading>
  /** Process ids. */
  readonly pids: Readonly<Record<'facilitator' | 'explorer' | 'postgres' | 'localnet', number>>
  readonly network: ContractNetwork & SigningNetwork
  readonly store: Store
  /** A new account with this many base units of USDC. */
  readonly wallet: (amount: bigint) => Promise<Wallet>
}

const LOOK_EVERY_MS = 200
const BASE_UNITS = 10_000_000n
const SPONSOR_XLM = '10000'

export interface ExplorerSetup {
  /** In the database before the first one is made. */
  readonly payments: number
  readonly isOwnProcess: boolean
}

/**
 * A network with a ledger every second, Postgres, and one facilitator, each in its own process.
 * @param explorer absent: there is none; of the facilitator's process, clients may say their addresses
 */
export async function openHostileWorld(
  channels: number,
  explorer?: ExplorerSetup,
): Promise<HostileWorld> {
  await using opened = new AsyncDisposableStack()
  const [localnet, postgres] = await Promise.all([
    startProgram({
      name: 'svc localnet',
      args: [svcScript, 'localnet', '--port', '0', '--close-every', '1s'],
      isReady: ({ ready }) => ready === true,
    }),
    startEmbeddedPostgres(),
  ])
  opened.use(localnet)
  opened.use(postgres)
  const rpcUrl = String(localnet.ready['rpcUrl'])
  const network = opened.use(await watchNetwork(rpcUrl))
  const sponsor = newWallet()
  await get(`${rpcUrl}/faucet?addr=${sponsor.address}&asset=XLM&amount=${SPONSOR_XLM}`)
  if (explorer) await fillExplorer(postgres.url, explorer.payments)
  const port = String(await freePort())
  const inside = { EXPLORER_ENABLED: 'true', EXPLORER_PORT: port, TRUSTED_PROXY_HOPS: '1' }
  const ours = await startOurs({
    ...{ rpcUrl, databaseUrl: postgres.url, channels },
    sponsorSecret: sponsor.secret,
    ...(explorer?.isOwnProcess === false && { env: inside }),
  })
  opened.use(ours.program)
  const alone = explorer?.isOwnProcess
    ? opened.use(await startExplorer({ rpcUrl, databaseUrl: postgres.url, port }))
    : ours.program
  const store = opened.use(await openStore({ kind: 'postgres', url: postgres.url }))
  const resources = opened.move()
  return {
    ...{ url: ours.url, network, store, explorerUrl: `http://127.0.0.1:${port}` },
    readMeter: () => ours.program.readMeter(),
    pids: {
      ...{ facilitator: ours.program.pid, explorer: alone.pid },
      ...{ postgres: postgres.pid, localnet: localnet.pid },
    },
    wallet: async (amount) => {
      const key = Keypair.random()
      const address = key.publicKey()
      await network.pay({ address, asset: 'USDC', amount })
      return { address, key }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

async function fillExplorer(databaseUrl: string, payments: number): Promise<void> {
  const fill = fileURLToPath(new URL('../explorer/fill.ts', import.meta.url))
  const now = String(Math.floor(Date.now() / 1_000))
  await promisify(execFile)(process.execPath, [fill, databaseUrl, String(payments), now])
}

/** Follows the latest ledger, from which payers count the expiration of their authorizations. */
async function watchNetwork(rpcUrl: string) {
  const rpc = rpcClient({ url: rpcUrl, allowHttp: true })
  const stop = new AbortController()
  let { sequence } = await rpc.latestLedger()
  const watching = (async () => {
    while (!stop.signal.aborted) {
      await pause(LOOK_EVERY_MS)
      sequence = (await rpc.latestLedger().catch(() => ({ sequence }))).sequence
    }
  })()
  return {
    httpUrl: rpcUrl,
    network: {
      passphrase: passphrases['stellar:testnet'],
      get latest() {
        return { sequence }
      },
    },
    pay: ({ address, asset, amount }: Parameters<ContractNetwork['pay']>[0]) =>
      get(`${rpcUrl}/faucet?addr=${address}&asset=${asset}&amount=${decimal(amount)}`),
    // A transaction sent before the next close may be in the ledger after it.
    closeLedger: async () => {
      const until = sequence + 2
      while (sequence < until) await pause(LOOK_EVERY_MS)
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await watching
    },
  }
}

const decimal = (amount: bigint): string =>
  `${amount / BASE_UNITS}.${(amount % BASE_UNITS).toString().padStart(7, '0')}`

async function get(url: string): Promise<void> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  await response.body?.cancel()
}
