import { warningRules } from '../../src/facilitator/health/warnings.ts'
import { defaultTimings } from '../../src/facilitator/timings.ts'

const seconds = (ms: number): string => `${ms / 1_000} s`

/** Where a figure comes from: it decides what it says on one of several replicas. */
const sources = {
  process: 'this process',
  replicas: 'the store, over all replicas',
  ledger: 'the ledger',
} as const

const members: readonly (readonly [string, keyof typeof sources, string])[] = [
  ['rpc.ok', 'process', 'whether an endpoint answered the last poll'],
  ['rpc.latestLedger', 'ledger', 'the newest ledger that was read'],
  ['rpc.ledgerAgeSeconds', 'ledger', 'how long ago it closed, by the clock of this machine'],
  ['rpc.transportErrors1h', 'process', 'requests to endpoints that had no answer'],
  [
    'sponsor.balanceStroops',
    'ledger',
    'null when it was not read within a minute, or the account does not exist',
  ],
  [
    'sponsor.committed1hStroops',
    'replicas',
    'fees of what was claimed within the last hour: promised for what is under way, taken for what ended; what the hourly budget is held to',
  ],
  [
    'sponsor.wasted1hStroops',
    'replicas',
    'the part of it taken for transactions that failed on the ledger',
  ],
  ['channels.total', 'replicas', 'channel accounts of this sponsor on the ledger'],
  ['channels.inUse', 'replicas', 'those that are leased'],
  [
    'channels.leaseWaitP95Ms',
    'process',
    'what 95 of 100 settlements did not wait longer for a channel, over the last hour or, on a busy one, the last 2,048; null without any',
  ],
  ['channels.leaseTimeouts1h', 'replicas', 'settlements refused since no channel was free in time'],
  [
    'settlements.last1h',
    'replicas',
    'settlements claimed within the last hour by their state now: `pending` is claimed or sent, `expired` includes claims whose owner died; what was refused is in none',
  ],
  ['settlements.unfinished', 'replicas', 'claimed or sent and without an end, however old'],
  ['settlements.unresolvable', 'replicas', 'those that only an operator can end'],
  [
    'settlements.repeats1h',
    'replicas',
    'requests for a finished settlement, answered with what was stored',
  ],
  [
    'sequenceConflicts1h',
    'replicas',
    "sends refused since the channel's sequence number was not the next",
  ],
  [
    'contracts.<alias>',
    'ledger',
    'ledgers until the instance, and the code if the contract has its own, are archived; negative once they are, null when there is no contract',
  ],
]

const checks: readonly (readonly [string, string, string])[] = [
  ['`database`', 'with a shared store: it answers', ''],
  ['`<network>:rpc`', 'an endpoint answered the last poll', 'the ledger, and when it was read'],
  [
    '`<network>:sponsor`',
    'the balance is known and not below `MIN_SPONSOR_BALANCE_XLM`',
    'the balance in stroops, either way',
  ],
  ['`<network>:channels`', 'at least one channel is on the ledger', 'how many'],
]

const table = (head: string, rows: readonly (readonly string[])[]): string =>
  [head, ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n')

/** What `/health` and `/ready` say. */
export function healthPage(made: string): string {
  const { monitorMs, readWithinMs, countersMs } = defaultTimings
  const blocks = [
    '# Health and readiness',
    made,
    '## `GET /health`',
    [
      'HTTP 200 as long as the process is up, without a key or a limit. The answer is made in the background, by a poll every',
      `${seconds(monitorMs)}, and served from memory: it waits for nothing. What a poll does not read within ${seconds(readWithinMs)} is not read; each part`,
      'of it fails alone.',
    ].join('\n'),
    table('| `state` | While |\n| - | - |', [
      ['`starting`', 'the first poll has not ended; `checkedAt` is null'],
      ['`healthy`', 'the last poll found nothing critical'],
      ['`degraded`', 'it did: see `warnings`'],
    ]),
    'What each network tells under `networks`; null is not known, or not readable just now:',
    table(
      '| Member | From | Meaning |\n| - | - | - |',
      members.map(([name, source, meaning]) => [`\`${name}\``, sources[source], meaning]),
    ),
    [
      'While the store cannot be read, the members that are never null say what was read last. What is counted for all replicas is',
      `kept to the minute and written every ${seconds(countersMs)} and at a stop; what a process counted in the seconds before it crashed is lost.`,
      '',
      'Watched are the accepted assets, by their symbols, and the contracts of `WATCHED_CONTRACTS`, by the names given there. An asset',
      'whose symbol is taken has the last four characters of its address behind it. Stellar RPC does not tell when an archived entry',
      'ended: then the TTL is -1. Code that is not on the ledger at all has no TTL, and counts as archived.',
    ].join('\n'),
    '## Warnings',
    'A `critical` one makes the service `degraded`. What to do about each is in [operations](operations.md).',
    table(
      '| Code | Severity | Raised while |\n| - | - | - |',
      warningRules.map(({ code, severity, when }) => [`\`${code}\``, severity, when]),
    ),
    '## `GET /ready`',
    [
      'HTTP 200 when every check passes, else 503. The checks of a network say what the last poll read, and ask nobody; the store is',
      'asked at most once a second, however many probe.',
    ].join('\n'),
    table('| Check | Passes while | Detail |\n| - | - | - |', checks),
    [
      'Pods are probed on the admin port instead: `/livez` and `/readyz` do not look at the network, so that an outage of RPC does not',
      'take every replica away from clients that could be told about it.',
    ].join('\n'),
  ]
  return `${blocks.join('\n\n')}\n`
}
