/**
 * Settlements in the schemes `exact` and `upto` side by side: one facilitator, one network, the same channels, in rounds
 * of each in turn. Prints Markdown; docs/performance.md says how to read it.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { uptoContract } from '../../src/localnet/genesis/upto-contract.ts'
import { passphrases } from '../../src/platform/core/caip2.ts'
import type { StellarRpc } from '../../src/stellar/rpc/rpc.ts'
import { rpcClient } from '../../src/stellar/rpc/rpc-client.ts'
import { addressesOf, openAccounts } from './accounts.ts'
import { startOurs } from './facilitators.ts'
import { type LoadResult, runLoad } from './load.ts'
import type { PaymentBody } from './payment-maker.ts'
import { startProgram, svcScript } from './program.ts'
import { median, quantile, sum } from './statistics.ts'
import { markdown } from './tables.ts'
import { MeteredPaymentMaker } from './upto/metered-payment-maker.ts'

const CHANNELS = 20
const CLOSE_EVERY_MS = 1_000
/** Between two loads, for background work of the first to end. */
const PAUSE_MS = 250

interface Section {
  readonly inFlight: number
  readonly rounds: number
  readonly settlements: number
  /** See `Load`. */
  readonly spreadMs?: number
}

const sections: readonly Section[] = [
  { inFlight: 1, rounds: 6, settlements: 10, spreadMs: CLOSE_EVERY_MS },
  { inFlight: CHANNELS, rounds: 6, settlements: 100 },
]
const warmUp: Section = { inFlight: CHANNELS, rounds: 2, settlements: 60 }

interface Scheme {
  readonly name: 'exact' | 'upto'
  make(count: number): Promise<PaymentBody[]>
}

interface World {
  readonly url: string
  readonly rpc: StellarRpc
  readonly schemes: readonly [Scheme, Scheme]
}

interface Measured {
  readonly name: Scheme['name']
  readonly loads: readonly LoadResult[]
  /** Stroops, of each settlement on the ledger. */
  readonly fees: readonly number[]
}

await using opened = new AsyncDisposableStack()
const progress = (line: string) => process.stderr.write(`${line}\n`)
progress('Starting the network, Postgres and the facilitator')
const world = await openWorld()
await runSection(warmUp)
process.stdout.write(
  `## upto beside exact\n\nA ledger every ${CLOSE_EVERY_MS / 1_000} s, ${CHANNELS} channels, one facilitator.\n\n`,
)
const rows: string[][] = []
for (const section of sections) rows.push(row(section, await runSection(section)))
process.stdout.write(
  `${markdown(
    [
      ...['in flight', 'settlements of each', 'p50 exact', 'p50 upto', '**p50 ratio**'],
      ...['range over rounds', 'p95 ratio', 'fee exact', 'fee upto', '**fee ratio**', 'failed'],
    ],
    rows,
  )}\n\n`,
)

async function openWorld(): Promise<World> {
  const args = ['localnet', '--port', '0', '--tls', '--tls-port', '0']
  const [localnet, postgres] = await Promise.all([
    startProgram({
      name: 'svc localnet',
      args: [svcScript, ...args, '--close-every', `${CLOSE_EVERY_MS}ms`],
      isReady: ({ ready }) => ready === true,
    }),
    startEmbeddedPostgres(),
  ])
  opened.use(localnet)
  opened.use(postgres)
  const addresses = addressesOf(localnet.ready)
  const { rpcUrl, httpsUrl } = addresses
  const { maker, payers, sellers, oursSponsor } = await openAccounts(addresses)
  const ours = await startOurs({
    ...{ rpcUrl, databaseUrl: postgres.url, sponsorSecret: oursSponsor, channels: CHANNELS },
    env: { TESTNET_UPTO_CONTRACT: uptoContract(passphrases['stellar:testnet']) },
  })
  opened.use(ours.program)
  const extra = await extraOf(ours.url)
  const metered = new MeteredPaymentMaker({ rpcUrl: httpsUrl, payers, sellers, extra })
  return {
    url: ours.url,
    rpc: rpcClient({ url: rpcUrl, allowHttp: true }),
    schemes: [
      { name: 'exact', make: (count) => maker.make(count) },
      { name: 'upto', make: (count) => metered.make(count) },
    ],
  }
}

async function extraOf(url: string): Promise<Readonly<Record<string, unknown>>> {
  const schema = z.object({
    kinds: z.array(z.object({ scheme: z.string(), extra: z.record(z.string(), z.unknown()) })),
  })
  const { kinds } = schema.parse(await (await fetch(`${url}/supported`)).json())
  const kind = kinds.find(({ scheme }) => scheme === 'upto')
  if (!kind) throw new Error('the facilitator does not serve the scheme upto')
  return kind.extra
}

/** Each round loads both schemes, one after the other, so that the machine's state affects both. */
async function runSection(section: Section): Promise<readonly [Measured, Measured]> {
  const { inFlight, rounds, settlements, spreadMs = 0 } = section
  progress(`${inFlight} in flight: ${rounds} rounds of ${settlements} in each scheme`)
  const loads = { exact: [] as LoadResult[], upto: [] as LoadResult[] }
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? world.schemes : world.schemes.toReversed()
    for (const { name, make } of order) {
      // Signed just before use, because they expire, and outside the measured time.
      const bodies = await make(settlements)
      await pause(PAUSE_MS)
      const load = { url: world.url, endpoint: '/settle', bodies, inFlight, spreadMs } as const
      loads[name].push(await runLoad(load))
    }
  }
  const [exact, upto] = await Promise.all([feesOf(loads.exact), feesOf(loads.upto)])
  return [
    { name: 'exact', loads: loads.exact, fees: exact },
    { name: 'upto', loads: loads.upto, fees: upto },
  ]
}

async function feesOf(loads: readonly LoadResult[]): Promise<number[]> {
  const fees: number[] = []
  for (const { transaction } of loads.flatMap(({ samples }) => samples)) {
    const found = transaction === undefined ? undefined : await world.rpc.transaction(transaction)
    if (found?.status === 'SUCCESS') fees.push(Number(found.feeCharged))
  }
  return fees
}

function row(
  { inFlight, spreadMs }: Section,
  [exact, upto]: readonly [Measured, Measured],
): string[] {
  const samples = ({ loads }: Measured) => loads.flatMap((load) => load.samples)
  const failed = [exact, upto].map((each) => samples(each).length - each.fees.length)
  const ratios = exact.loads.map((load, round) => {
    const other = upto.loads[round]
    return other ? median(timesOf([other])) / median(timesOf([load])) : Number.NaN
  })
  const [p50Exact, p50Upto] = [median(timesOf(exact.loads)), median(timesOf(upto.loads))]
  const p95 = ({ loads }: Measured) => quantile(timesOf(loads), 0.95)
  const fee = ({ fees }: Measured) => sum(fees) / fees.length
  return [
    spreadMs === undefined ? String(inFlight) : `${inFlight}, spread`,
    String(samples(upto).length),
    `${p50Exact.toFixed(0)} ms`,
    `${p50Upto.toFixed(0)} ms`,
    `**${(p50Upto / p50Exact).toFixed(2)}**`,
    `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
    (p95(upto) / p95(exact)).toFixed(2),
    fee(exact).toFixed(0),
    fee(upto).toFixed(0),
    `**${(fee(upto) / fee(exact)).toFixed(2)}**`,
    failed.join(' and '),
  ]
}

function timesOf(loads: readonly LoadResult[]): number[] {
  return loads.flatMap(({ samples }) =>
    samples.flatMap(({ failure, ms }) => (failure === undefined ? ms : [])),
  )
}
