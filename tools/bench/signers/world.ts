/** One network and one Postgres, with a facilitator for each kind of signer. */
import pg from 'pg'
import { startEmbeddedPostgres } from '../../../src/demo/postgres/embedded-postgres.ts'
import { addressesOf, openAccounts } from '../accounts.ts'
import { type FacilitatorProcess, startOurs } from '../facilitators.ts'
import type { PaymentMaker } from '../payment-maker.ts'
import { startProgram, svcScript } from '../program.ts'
import { openKinds, type SignerKind } from './kinds.ts'
import { type Ledgers, openLedgers } from './ledgers.ts'

export interface Measured {
  readonly kind: SignerKind
  readonly facilitator: FacilitatorProcess
}

export interface SignersWorld extends AsyncDisposable {
  readonly measured: readonly Measured[]
  readonly missing: readonly string[]
  readonly maker: PaymentMaker
  readonly ledgers: Ledgers
}

/** Without Horizon the client counts 5 s for a ledger. */
const SIGNED_FOR_SECONDS = 240

export async function openSignersWorld(
  channels: number,
  profileFolder: string | undefined,
): Promise<SignersWorld> {
  await using opened = new AsyncDisposableStack()
  const [localnet, postgres, { kinds, missing }] = await Promise.all([
    startLocalnet(),
    startEmbeddedPostgres(),
    openKinds(opened),
  ])
  opened.use(localnet)
  opened.use(postgres)
  const addresses = addressesOf(localnet.ready)
  const ledgers = opened.use(await openLedgers(addresses.rpcUrl))
  const { maker } = await ledgers.during(openAccounts(addresses, SIGNED_FOR_SECONDS))

  const open = async (kind: SignerKind, number: number): Promise<Measured> => {
    const [databaseUrl] = await Promise.all([
      createDatabase(postgres.url, `signer_${number}`),
      fund(addresses.rpcUrl, kind.sponsor),
    ])
    const facilitator = await startOurs({
      ...{ rpcUrl: ledgers.rpcUrl, databaseUrl, channels, profileFolder },
      name: `svc serve ${kind.name}`,
      isMetered: false,
      env: kind.env,
    })
    opened.use(facilitator.program)
    return { kind, facilitator }
  }
  const measured = await ledgers.during(Promise.all(kinds.map(open)))
  const resources = opened.move()
  return {
    ...{ measured, missing, maker, ledgers },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const startLocalnet = () =>
  startProgram({
    name: 'svc localnet',
    args: [
      ...[svcScript, 'localnet', '--port', '0', '--tls', '--tls-port', '0'],
      ...['--close-every', 'manual', '--limits', 'none', '--max-operations', '1000'],
    ],
    isReady: ({ ready }) => ready === true,
  })

async function fund(rpcUrl: string, address: string): Promise<void> {
  const response = await fetch(`${rpcUrl}/friendbot?addr=${address}`)
  if (!response.ok) throw new Error(`friendbot answered ${response.status}`)
  await response.body?.cancel()
}

async function createDatabase(url: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}
