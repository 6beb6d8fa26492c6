/**
 * `make bench-hostile`: honest payers beside an attacker, one attack after the other. Prints Markdown;
 * docs/performance.md says how to read it.
 */
import { availableParallelism, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { attacks } from './hostile/attacks.ts'
import { openHonest } from './hostile/honest.ts'
import { measureCapacity } from './hostile/load.ts'
import { PAYMENTS, type ReaderResult, runReader } from './hostile/reader.ts'
import { type AttackResult, runAttack } from './hostile/run-attack.ts'
import { openHostileWorld } from './hostile/world.ts'
import { quantile, sum } from './statistics.ts'
import { markdown } from './tables.ts'

const HONEST_SHARE = 0.4
/** The attacker's target: honest payers must not wait longer than this times their usual. */
const MAX_RATIO = 1.5
/** A reader's target, for the delay of the event loop of payments. */
const MAX_LOOP_RATIO = 1.2
/** Share of the time. Where the thread of payments waits longer without the reader, other programs decide the delay. */
const MAX_WAIT_WITHOUT = 0.1
const EXPLORED_PAYMENTS = 50_000
const READER = 'a reader of the explorer'

const help = `node tools/bench/hostile.ts: honest payers beside an attacker

  --seconds 16     of each attack; the honest payers are alone for half of that before and after it
  --channels 20    of the facilitator
  --only WORDS     only the attacks with these words in their name
`
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '16' },
    channels: { type: 'string', default: '20' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}
const seconds = Number(values.seconds)
const channels = Number(values.channels)
const progress = (line: string) => process.stderr.write(`${line}\n`)

const loadBefore = loadavg()
progress('Starting the network, Postgres and the facilitator')
if (READER.includes(values.only)) {
  await using world = await openHostileWorld(channels, {
    payments: EXPLORED_PAYMENTS,
    isOwnProcess: false,
  })
  progress(READER)
  printReader(await runReader(world, { channels, seconds, share: HONEST_SHARE }))
}
const chosen = attacks.filter(({ name }) => name.includes(values.only))
if (chosen.length === 0) process.exit(0)
await using world = await openHostileWorld(channels)
const honest = await openHonest(world)
const inFlight = 2 * channels
progress(`Capacity: ${inFlight} settlements in flight`)
// Not counted: the first settlements compile what the others use.
await measureCapacity(world.url, honest, { inFlight, seconds: Math.min(5, seconds) })
const capacity = await measureCapacity(world.url, honest, { inFlight, seconds })
const perSecond = capacity * HONEST_SHARE

const results: AttackResult[] = []
for (const attack of chosen) {
  progress(`${attack.name}: ${perSecond.toFixed(1)} requests per second each, ${seconds} s twice`)
  results.push(await runAttack(world, honest, attack, { perSecond, seconds, channels }))
}
print()

function printReader(result: ReaderResult): void {
  const { without, under, honestPerSecond, downloads, streams } = result
  const ratio = under.delayMs / without.delayMs
  const rows = Object.entries({ without, 'with him': under }).map(([name, loop]) => [
    ...[name, `${loop.delayMs.toFixed(2)} ms`, ms(loop.paymentP95Ms)],
  ])
  const lines = [
    `## Event loop of payments beside ${READER}`,
    '',
    machine(),
    `- ${honestPerSecond.toFixed(1)} honest requests per second; ${seconds} s with the reader and ${seconds} s without, in turn`,
    '',
    markdown(['reader', 'delay p95', 'payment p95'], rows),
    '',
    `- **${ratio.toFixed(2)}** times the delay; at most ${MAX_LOOP_RATIO}: ${verdict(ratio, without)}`,
    `- downloads by status: ${counts(downloads)}; live connections: ${counts(streams)}`,
    '',
    markdown(
      ['thread or process', 'runs without', '**with him**', 'waits without', '**with him**'],
      threadRows(result),
    ),
    '',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function verdict(ratio: number, { threads }: ReaderResult['without']): string {
  const { wait = 0 } = threads.get(PAYMENTS) ?? {}
  if (wait > MAX_WAIT_WITHOUT) return 'not judged, other programs keep the machine busy'
  return ratio <= MAX_LOOP_RATIO ? 'yes' : 'no'
}

function threadRows({ without, under }: ReaderResult): string[][] {
  return [...under.threads].map(([name, shares]) => {
    const alone = without.threads.get(name) ?? { run: 0, wait: 0 }
    return [
      ...[name, percent(alone.run), `**${percent(shares.run)}**`],
      ...[percent(alone.wait), `**${percent(shares.wait)}**`],
    ]
  })
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function machine(): string {
  const load = (of: readonly number[]) => of.map((value) => value.toFixed(1)).join(' ')
  return `- ${availableParallelism()} processors; load average before ${load(loadBefore)}, after ${load(loadavg())}`
}

function print(): void {
  const lines = [
    '## Honest payers beside an attacker',
    '',
    machine(),
    `- a ledger every second, ${channels} channels; capacity ${capacity.toFixed(1)} settlements per second`,
    `- ${perSecond.toFixed(1)} honest requests per second, and as many of the attacker; ${seconds} s with him, and ${seconds / 2} s without him before and after`,
    '',
    table(),
    '',
    ...results.map(({ attack, answers }) => `- ${attack}: ${counts(answers)}`),
    '',
    'Honest payments beside the attacker, from the claim until the envelope is recorded: the wait for a channel, and a signature.',
    '',
    markdown(
      ['attack', 'p50', 'p75', 'p90', 'p95', 'longest', 'over 100 ms'],
      results.map(({ attack, waits }) => [attack, ...waitCells(waits)]),
    ),
    '',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

function table(): string {
  return markdown(
    [
      ...['attack', 'honest requests', 'p95 without', 'p95 with', '**ratio**'],
      ...['honest refused without', '**with**', "attacker's requests", 'settled'],
      ...[
        'wasted fees, stroops',
        'all fees for the attacker, stroops',
        `at most ${MAX_RATIO}, none refused`,
      ],
    ],
    results.map(({ attack, without, under, attackerRequests, answers, wasted, spent }) => {
      const ratio = under.p95 / without.p95
      const refused = [...under.refusals.values()]
      const isMet = ratio <= MAX_RATIO && refused.length === 0
      return [
        ...[attack, String(under.requests), ms(without.p95), ms(under.p95)],
        ...[`**${ratio.toFixed(2)}**`, counts(without.refusals), `**${counts(under.refusals)}**`],
        ...[String(attackerRequests), String(answers.get('settled') ?? 0)],
        ...[String(wasted), String(spent), isMet ? 'yes' : 'no'],
      ]
    }),
  )
}

function waitCells(waits: readonly number[]): string[] {
  const long = waits.filter((wait) => wait > 100).length
  const quantiles = [0.5, 0.75, 0.9, 0.95, 1].map((part) => ms(quantile(waits, part)))
  return [...quantiles, `${long} of ${waits.length}`]
}

function counts(reasons: ReadonlyMap<string, number>): string {
  if (sum([...reasons.values()]) === 0) return '0'
  return [...reasons].map(([reason, count]) => `${count} ${reason}`).join(', ')
}

function ms(value: number): string {
  return `${Math.round(value)} ms`
}
