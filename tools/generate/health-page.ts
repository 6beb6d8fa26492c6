import { warningRules } from '../../src/facilitator/health/warnings.ts'
import { defaultTimings } from '../../src/facilitator/timings.ts'

const seconds = (ms: number): string => `${ms / 1_000} s`

/** Where a number comes from: it decides what the number covers when there are several replicas. */
const sources = {
  process: 'this process',
  replicas: 'the store, over all replicas',
  ledger: 'the ledger',
} as const

const members: readonly (readonly [string, keyof typeof sources, string])[] = [
  ['rpc.ok', 'process', 'whether an endpoint answered the last poll'],
  ['rpc.latestLedger', 'ledger', 'the latest ledger that was read'],
  ['rpc.ledgerAgeSeconds', 'ledger', 'how long ago it closed, by the clock of this machine'],
  [
    'rpc.transportErrors1h',
    'process',
    'requests to endpoints without an answer within the last hour',
  ],
  [
    'sponsor.balanceStroops',
    'ledger',
    'balance of the sponsor; null when it was not read within a minute, or the account does not exist',
  ],
  [
    'sponsor.committed1hStroops',
    'replicas',
    'fees of the settlements claimed within the last hour: promised for those in progress, charged for those that ended; the hourly budget limits this sum',
  ],
  [
    'sponsor.wasted1hStroops',
    'replicas',
    'the part of it that was charged for transactions that failed on the ledger',
  ],
  ['channels.total', 'replicas', 'channel accounts of this sponsor on the ledger'],
  ['channels.inUse', 'replicas', 'channels that are leased'],
  [
    'channels.leaseWaitP95Ms',
    'process',
    '95th percentile of the wait for a channel, over the last hour, but at most over the last 2,048 settlements; null without any',
  ],
  [
    'channels.leaseTimeouts1h',
    'replicas',
    'settlements refused because no channel became free in time',
  ],
  [
    'settlements.last1h',
    'replicas',
    'settlements claimed within the last hour, by their present state: `pending` is claimed or sent, `expired` includes claims whose owner died; refused ones are in none',
  ],
  [
    'settlements.unfinished',
    'replicas',
    'settlements claimed or sent and not finished, however old',
  ],
  ['settlements.unresolvable', 'replicas', 'settlements that only an administrator can finish'],
  [
    'settlements.repeats1h',
    'replicas',
    'requests for a finished settlement, answered with the stored response',
  ],
  [
    'sequenceConflicts1h',
    'replicas',
    "sends refused because the channel's sequence number was not the next one",
  ],
  [
    'contracts.<alias>',
    'ledger',
    'ledgers until the instance, and the code if the contract has its own, are archived; negative once they are, null when there is no contract',
  ],
]

const checks: readonly (readonly [string, string, string])[] = [
  ['`database`', 'the store answers; only with a shared store', ''],
  [
    '`<network>:rpc`',
    'an endpoint answered the last poll',
    'the latest ledger, and when it was read',
  ],
  [
    '`<network>:sponsor`',
    'the balance is known and not below `MIN_SPONSOR_BALANCE_XLM`',
    'the balance in stroops, pass or fail',
  ],
  ['`<network>:channels`', 'at least one channel is on the ledger', 'the number of channels'],
]

const table = (head: string, rows: readonly (readonly string[])[]): string =>
  [head, ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n')

/** The page on `/health` and `/ready`. */
export function healthPage(made: string): string {
  const { monitorMs, readWithinMs, countersMs } = defaultTimings
  const blocks = [
    '# Health and readiness',
    made,
    'After this page you can read the answers of `/health` and `/ready`: what each number covers, and when each warning is raised.',
    '## `GET /health`',
    [
      'Answers HTTP 200 as long as the process is up, without an API key and without a rate limit. A poll in the background makes the',
      `answer every ${seconds(monitorMs)}, and a request gets it from memory without waiting. A poll gives each of its reads ${seconds(readWithinMs)}; one that`,
      'fails or takes longer affects no other.',
    ].join('\n'),
    table('| `state` | While |\n| - | - |', [
      ['`starting`', 'the first poll has not ended; `checkedAt` is null'],
      ['`healthy`', 'the last poll found nothing critical'],
      ['`degraded`', 'the last poll found something critical: see `warnings`'],
    ]),
    'The members of each network under `networks`. A number that is unknown, or cannot be read at present, is null:',
    table(
      '| Member | From | Meaning |\n| - | - | - |',
      members.map(([name, source, meaning]) => [`\`${name}\``, sources[source], meaning]),
    ),
    [
      'While the store cannot be read, the members that are never null keep the value read last. Each process counts events for all',
      `replicas to the minute, and adds them to the store every ${seconds(countersMs)} and when it stops; a crash loses the counts of the last seconds.`,
      '',
      'The watched contracts are the accepted assets, under their symbols, and the contracts of `WATCHED_CONTRACTS`, under the names given',
      'there. An asset whose symbol is taken gets the last four characters of its address appended. Stellar RPC does not report since when',
      'an entry is archived: its TTL is -1. Code that is not on the ledger has no TTL, and counts as archived.',
    ].join('\n'),
    '## Warnings',
    'A `critical` warning makes the service `degraded`. [Operations](operations.md) says what to do about each.',
    table(
      '| Code | Severity | Raised while |\n| - | - | - |',
      warningRules.map(({ code, severity, when }) => [`\`${code}\``, severity, when]),
    ),
    '## `GET /ready`',
    [
      'Answers HTTP 200 when every check passes, else 503. The checks of a network use the values of the last poll and send no request;',
      'the store is queried at most once a second, however many clients probe.',
    ].join('\n'),
    table('| Check | Passes while | Detail |\n| - | - | - |', checks),
    [
      'Kubernetes probes pods on the admin port instead: `/livez` and `/readyz` ignore the network, so that during an RPC outage the',
      'replicas stay reachable and clients get an answer that says so.',
    ].join('\n'),
  ]
  return `${blocks.join('\n\n')}\n`
}
