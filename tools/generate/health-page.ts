import { warnings } from '../../src/diagnosis/problems/names.ts'
import { defaultTimings } from '../../src/payments/engine/timings.ts'

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
  ['rpc.ledgerAgeSeconds', 'ledger', 'seconds since it closed, by the clock of this machine'],
  [
    'rpc.transportErrors1h',
    'process',
    'requests of the last hour that an endpoint did not answer with HTTP 200',
  ],
  [
    'sponsor.balanceStroops',
    'ledger',
    'balance of the sponsor; null when the last read is over a minute old, or the account does not exist',
  ],
  [
    'sponsor.committed1hStroops',
    'replicas',
    'fees of the settlements claimed within the last hour: the maximum fee of unfinished ones, the charged fee of finished ones, by whole minutes; likewise of what the keeper of the settlement contract sends; the hourly budget limits this sum',
  ],
  [
    'sponsor.wasted1hStroops',
    'replicas',
    'the part of that sum charged for transactions that failed on the ledger',
  ],
  [
    'channels.total',
    'replicas',
    'channels of this sponsor that the ledger has, draining ones included; the ledger is read once a minute',
  ],
  ['channels.inUse', 'replicas', 'channels that are leased'],
  [
    'channels.leaseWaitP95Ms',
    'process',
    '95th percentile of the wait for a channel, over the settlements of the last hour, at most the last 2,048; null without any',
  ],
  [
    'channels.leaseTimeouts1h',
    'replicas',
    'settlements refused within the last hour because no channel became free in time, or none was expected to',
  ],
  [
    'settlements.last1h',
    'replicas',
    'settlements claimed within the last hour, by current state: `succeeded`, `failed`, `expired` (abandoned claims included), `pending` (claimed or recorded); payments refused by a check are not counted',
  ],
  [
    'settlements.unfinished',
    'replicas',
    'settlements claimed or recorded and not finished, of any age',
  ],
  [
    'settlements.unresolvable',
    'replicas',
    'settlements whose outcome the endpoints cannot prove: each is looked up again every five minutes, and an administrator can resolve it',
  ],
  [
    'settlements.repeats1h',
    'replicas',
    'requests of the last hour that repeated a finished settlement and got its stored response',
  ],
  [
    'sequenceConflicts1h',
    'replicas',
    "transactions that the network refused within the last hour because their sequence number was not the channel's next one (`txBadSeq`)",
  ],
  [
    'contracts.<alias>.instanceTtlLedgers',
    'ledger',
    'ledgers until the network archives the instance of the contract; negative once archived, null when the contract does not exist',
  ],
  [
    'contracts.<alias>.codeTtlLedgers',
    'ledger',
    'the same for its code; absent when the contract has no code of its own, as a SAC, or its code is not on the ledger',
  ],
]

const catalogMembers: readonly (readonly [string, string])[] = [
  ['catalog.listings', 'listings by state: `pending`, `published`, `quarantined`'],
  [
    'catalog.leftOut',
    'published listings that are in no list and no search, by reason: `hidden`, `unpaid`, `full`',
  ],
  [
    'catalog.outboxPending',
    'declarations of settled payments that no catalog process has recorded yet',
  ],
  [
    'catalog.outcomes1h',
    'what became of the declarations of the last hour, by whole minutes: by phase, then by status; empty without any',
  ],
  [
    'search.indexRevision',
    'revision of the catalog that the newest search index holds; null while no process has one',
  ],
  [
    'search.indexAgeSeconds',
    'seconds since that build ended; the next one begins when the catalog changes',
  ],
  [
    'search.lastBuild',
    '`ok`, `degraded` (the embeddings endpoint failed) or `failed` (an earlier index serves, if there is one)',
  ],
  [
    'search.embeddingFailures1h',
    'requests to the embeddings endpoint that failed within the last hour, of all processes that search',
  ],
  [
    'search.p50Ms` and `search.p95Ms',
    'time of the searches of the last five minutes in the process with the newest index; null without any',
  ],
]

const uptoMembers: readonly (readonly [string, keyof typeof sources, string])[] = [
  [
    'upto.contract',
    'process',
    'address of the settlement contract; its TTLs are in `contracts.upto`',
  ],
  [
    'upto.authority.address',
    'process',
    "the settlement authority, derived from the sponsor's seed",
  ],
  ['upto.authority.present', 'ledger', 'whether the ledger has its account'],
  ['upto.authority.balanceStroops', 'ledger', 'its XLM; null too when there is no account'],
  [
    'upto.authority.spendableStroops',
    'ledger',
    'the part of it that is not locked as a reserve: 0, unless it has received XLM',
  ],
  [
    'upto.authority.tokens',
    'ledger',
    'accepted tokens that it holds, each with `symbol`, `contract` and `balance` in base units: none, unless it has received some',
  ],
  ['upto.keeper.enabled', 'process', '`UPTO_KEEPER_ENABLED`'],
  ['upto.keeper.autoRestore', 'process', '`UPTO_AUTO_RESTORE`'],
  [
    'upto.keeper.checkedAt',
    'replicas',
    'when a keeper last read the TTLs of the contract; null while none has',
  ],
  ['upto.keeper.plan', 'replicas', 'what it is about to do; null when nothing has to be done'],
  [
    'upto.keeper.lastAction',
    'replicas',
    'its last transaction: `action` (`extend` or `restore`), `transaction` and `at`',
  ],
  ['upto.keeper.error', 'replicas', 'why its last round failed; null after one that did not'],
]

const checks: readonly (readonly [string, string, string])[] = [
  ['`database`', 'the store answers; this check exists with `STORE=postgres` only', ''],
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
  [
    '`<network>:channels`',
    'the sponsor has at least one channel on the ledger',
    'the number of channels',
  ],
  [
    '`search`',
    'the first search index is built; this check exists where `/discovery/search` is served',
    'the revision of the catalog that the index holds',
  ],
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
      'The service answers HTTP 200 as long as its process runs, without an API key and without a rate limit. A background poll makes',
      `the answer every ${seconds(monitorMs)}; a request gets the last one from memory. Each read of a poll may take ${seconds(readWithinMs)}; one that`,
      'fails or takes longer does not affect the others.',
    ].join('\n'),
    table('| `state` | While |\n| - | - |', [
      ['`starting`', 'the first poll has not ended; `checkedAt` is null'],
      ['`healthy`', 'the last poll found nothing critical'],
      ['`degraded`', 'the last poll found something critical: see `warnings`'],
    ]),
    '`networks` has these members for each network. A member that may be null is null while its value is unknown or cannot be read:',
    table(
      '| Member | From | Meaning |\n| - | - | - |',
      members.map(([name, source, meaning]) => [`\`${name}\``, sources[source], meaning]),
    ),
    [
      'While the store cannot be read, its members that are never null keep the value read last. Each replica adds its counts of lease',
      `timeouts, repeats and sequence conflicts to the store every ${seconds(countersMs)} and when it stops; the store keeps one sum per minute. A crash`,
      'loses the counts of the last seconds.',
      '',
      'The watched contracts are the accepted assets, under their symbols, and the contracts of `WATCHED_CONTRACTS`, under the names given',
      'there; where the scheme `upto` is served, also its settlement contract, as `upto`. Two contracts cannot share a name, so a second `USDC` becomes `USDC-` and the last four characters of its address. Stellar',
      'RPC does not report when an entry was archived, so its TTL is -1. Code that is not on the ledger counts as archived.',
    ].join('\n'),
    'A network that serves the scheme `upto` also has:',
    table(
      '| Member | From | Meaning |\n| - | - | - |',
      uptoMembers.map(([name, source, meaning]) => [`\`${name}\``, sources[source], meaning]),
    ),
    [
      'With `BAZAAR_ENABLED=true` the answer has `catalog` and `search`. All of it comes from the store, over all replicas: also a',
      '`svc facilitator`, which searches nothing itself, reports the newest index of the processes that do. A process counts while its',
      'last report is at most 30 s old.',
    ].join('\n'),
    table(
      '| Member | Meaning |\n| - | - |',
      catalogMembers.map(([name, meaning]) => [`\`${name}\``, meaning]),
    ),
    '## Warnings',
    'A `critical` warning makes the service `degraded`. [Operations](operations.md) says what to do about each.',
    table(
      '| Code | Severity | Raised while |\n| - | - | - |',
      Object.entries(warnings).map(([code, { severity, when }]) => [`\`${code}\``, severity, when]),
    ),
    '## `GET /ready`',
    [
      'Answers HTTP 200 when every check passes, else 503. The checks of a network use the values of the last poll and send no request;',
      'the store is queried at most once a second, however many clients probe.',
    ].join('\n'),
    table('| Check | Passes while | Detail |\n| - | - | - |', checks),
    [
      '`svc facilitator` serves no search, so it has no check `search`, whatever `BAZAAR_ENABLED` says: a catalog that is down must not make',
      'a load balancer take out the replicas that take payments. Its `/health` reports the search of the other processes.',
    ].join('\n'),
    [
      'Kubernetes probes pods on the admin port instead, with `/livez` and `/readyz`. `/readyz` of a process that takes payments is 503, and its',
      'check `settle` says why, until the process could settle once on one of its networks: an endpoint answers and is of the right network, the',
      'sponsor is on the ledger, and the database has a channel of it that the ledger has. From then on `/readyz` ignores the',
      'Stellar networks: during an RPC outage the replicas stay reachable and answer payments with `service_unavailable`.',
    ].join('\n'),
    [
      'One network suffices. Otherwise, after the loss of a node, an outage of one network would keep the replacing pods from serving the other one.',
      '[`svc preflight`](operations.md#deploy) requires all networks. The operator runs it before a change of image, settings or Secrets, so that pods that serve',
      'one network do not replace pods that serve both. A pool with `channels: 0` has no channel, so a new pod whose networks all have empty pools',
      'stays unready; pods that could settle before stay ready.',
    ].join('\n'),
  ]
  return `${blocks.join('\n\n')}\n`
}
