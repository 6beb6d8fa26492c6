/**
 * `make bench-signers`: settlements with the sponsor's key in the process, in a PKCS#11 token, behind the sidecar and in Vault, by turns on
 * one machine. Prints Markdown; docs/performance.md says how to read it.
 */
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { runLoad } from './load.ts'
import { readStageTimes, type StageTimes, since } from './signers/stage-times.ts'
import { type Measured, openSignersWorld, type SignersWorld } from './signers/world.ts'
import { median, quantile, sum } from './statistics.ts'
import { markdown } from './tables.ts'

const IN_FLIGHT = 100

const help = `node tools/bench/signers.ts: settlements by where the sponsor's key lies

  --rounds 5       of ${IN_FLIGHT} settlements with each
  --profile DIR    write a CPU profile of each process to DIR
`
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}

interface Round {
  readonly p50: number
  readonly p95: number
  readonly perSecond: number
  readonly failures: readonly string[]
  readonly times: StageTimes
}

const progress = (line: string) => process.stderr.write(`${line}\n`)
const load = () => loadavg()[0]?.toFixed(1)

const loadBefore = load()
progress('Starting the network, Postgres, the signers and a facilitator for each')
await using world = await openSignersWorld(IN_FLIGHT, values.profile)
const rounds = new Map(world.measured.map((each): [Measured, Round[]] => [each, []]))
progress('Warm-up, not counted')
for (const each of world.measured) await settle(world, each)
for (let round = 0; round < Number(values.rounds); round += 1) {
  progress(`round ${round + 1} of ${values.rounds}`)
  for (const each of turn(world.measured, round)) {
    rounds.get(each)?.push(await settle(world, each))
  }
}
print()

/** Each kind is first in one of the rounds. */
function turn<T>(all: readonly T[], by: number): readonly T[] {
  return all.map((_, index) => all[(index + by) % all.length]!)
}

async function settle(
  { maker, ledgers }: SignersWorld,
  { facilitator: { url, program } }: Measured,
): Promise<Round> {
  const bodies = await maker.make(IN_FLIGHT)
  const before = await readStageTimes(program)
  const loading = runLoad({ url, endpoint: '/settle', bodies, inFlight: IN_FLIGHT })
  const { samples, seconds } = await ledgers.onceSent(IN_FLIGHT, loading)
  const times = samples.filter(({ failure }) => failure === undefined).map(({ ms }) => ms)
  return {
    p50: median(times),
    p95: quantile(times, 0.95),
    perSecond: times.length / seconds,
    failures: samples.flatMap(({ failure }) => failure ?? []),
    times: since(before, await readStageTimes(program)),
  }
}

function print(): void {
  const [[, seed] = [undefined, []]] = rounds
  const rows = [...rounds].map(([{ kind }, own]) => {
    const ratios = own.map(({ p95 }, at) => p95 / (seed[at]?.p95 ?? Number.NaN))
    const signed = own.map(({ times }) => times.signed)
    const calls = own.map(({ times }) => times.calls)
    const inCall = sum(signed.map(({ count }) => count)) / sum(calls.map(({ count }) => count))
    return [
      ...[kind.name, median(own.map(({ perSecond }) => perSecond)).toFixed(0)],
      ...[ms(median(own.map(({ p50 }) => p50))), ms(median(own.map(({ p95 }) => p95)))],
      ...[`**${median(ratios).toFixed(2)}**`, range(ratios)],
      ...[ms(mean(signed)), Number.isFinite(inCall) ? ms(mean(calls)) : ''],
      ...[Number.isFinite(inCall) ? inCall.toFixed(1) : ''],
      String(own.flatMap(({ failures }) => failures).length),
    ]
  })
  const lines = [
    '## Where the key of the sponsor lies',
    '',
    `${IN_FLIGHT} settlements at once with each, in each of ${values.rounds} rounds; the ledger closes once all are sent.`,
    `${availableParallelism()} processors, Node ${process.versions.node}; load average ${loadBefore} before, ${load()} after.`,
    '',
    markdown(
      [
        ...['', 'per second', 'p50', 'p95', '**p95 ratio**', 'range over rounds'],
        ...['stage `sign`', 'a call', 'signatures in a call', 'failed'],
      ],
      rows,
    ),
    '',
    ...world.missing.map((line) => `Left out: ${line}`),
    ...new Set([...rounds.values()].flat().flatMap(({ failures }) => failures)),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function mean(sums: readonly { readonly count: number; readonly seconds: number }[]): number {
  const count = sum(sums.map((each) => each.count))
  return (1_000 * sum(sums.map((each) => each.seconds))) / count
}

function range(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`
}

function ms(value: number): string {
  return `${value.toFixed(value < 100 ? 1 : 0)} ms`
}
