import { readFileSync } from 'node:fs'
import { originCodes } from '../../src/catalog/origin/origin-codes.ts'
import { codeHelp } from '../../src/catalog/outcome/code-help.ts'
import { crdFiles } from '../../src/kubernetes/crd/definitions/crd-files.ts'
import { poolMetricTable } from '../../src/kubernetes/operator/channel-pool/status/gauges.ts'
import {
  resourceMetricTable,
  runtimeMetricTable,
} from '../../src/kubernetes/operator/metrics/metric-table.ts'
import { knownMetrics } from '../../src/kubernetes/runtime/metrics/known-metrics.ts'
import { ledgerFailures } from '../../src/payments/causes/ledger-failure.ts'
import { reasons, reasonsWhere, statusOfReason } from '../../src/payments/protocol/reasons.ts'
import { type FaultCode, faults } from '../../src/platform/core/errors/faults.ts'
import {
  metricTable,
  processMetricPrefix,
} from '../../src/platform/telemetry/metrics/metric-table.ts'
import { openApiDocument } from '../../src/service/openapi/document.ts'
import { explorerDocument } from '../../src/service/openapi/explorer-document.ts'
import { cliPage } from './cli-page.ts'
import { clientModules } from './client-modules.ts'
import { configurationPage } from './configuration-page.ts'
import { healthPage } from './health-page.ts'
import { licencesPage } from './licences-page.ts'
import { withLimitsTable } from './limits-table.ts'
import { packagingFiles } from './packaging-files.ts'
import { resourcesPage } from './resources-page.ts'

/** Files that are made from the code, most of them pages, by path from the project's root. */
export const generatedDocs: Readonly<Record<string, () => string>> = {
  'docs/abuse.md': withLimitsTable,
  'docs/cli.md': () => cliPage(made),
  'docs/configuration.md': () => configurationPage(made),
  'docs/errors.md': errors,
  'docs/health.md': () => healthPage(made),
  'docs/openapi.json': () => `${JSON.stringify(openApiDocument('dev'), null, 2)}\n`,
  'docs/openapi-explorer.json': () => `${JSON.stringify(explorerDocument('dev'), null, 2)}\n`,
  'docs/licences.md': () => licencesPage(made),
  'docs/metrics.md': () => metrics(),
  'docs/resources.md': () => resourcesPage(made),
  'src/stellar/contracts/upto-code-hash.ts': contractCodeModule,
  ...clientModules,
  ...packagingFiles,
  ...Object.fromEntries(
    Object.keys(crdFiles()).map((name) => [`crds/${name}`, () => crdFiles()[name] ?? '']),
  ),
}

const made =
  'Made from the tables in the code by `make generate`; `make check` fails when it is out of date.'

/** The codes whose answers are not HTTP 200, each with its status. */
const otherStatuses = (): string =>
  reasonsWhere(({ status }) => status !== undefined)
    .map((code) => `\`${code}\`, which is HTTP ${statusOfReason(code)}`)
    .join(', ')

function errors(): string {
  const rows = Object.entries(reasons).map(
    ([code, { retryable, message }]) => `| \`${code}\` | ${yes(retryable)} | ${message} |`,
  )
  const failureRows = Object.entries(ledgerFailures).map(
    ([code, { isPayersFault, message }]) =>
      `| \`${code}\` | ${isPayersFault === 'smart account' ? 'of a `C...` payer' : yes(isPayersFault)} | ${message} |`,
  )
  const faultRows = Object.entries(faults).map(
    ([code, { status, retryable, wire, help }]) =>
      `| \`${code}\` | ${status} | ${yes(retryable)} | ${wireCodes(code, wire)} | ${help} |`,
  )
  const originRows = Object.entries(originCodes).map(
    ([code, { status, help }]) => `| \`${code}\` | ${status} | ${help} |`,
  )
  return page(
    '# Errors',
    [
      'After this page you can tell from the code of an answer what was wrong, and whether to send the request again.',
      'Programs can rely on the codes; the sentences may change. `GET /openapi.json` lists them for each answer, with examples.',
      '*Again* says whether the same request may succeed later without a new signature.',
    ].join('\n'),
    made,
    '## Payments',
    [
      `A verdict is HTTP 200, except ${otherStatuses()}. The code is \`invalidReason\` in an answer of \`/verify\` and \`errorReason\` in one of \`/settle\`.`,
      '`invalidMessage` or `errorMessage` gives the actual and the expected value, for example:',
      '`the transfer is for 99999 base units, expected 100000`. `payment_identifier_conflict` is told only to who',
      '[can sign for the payer](architecture.md#the-id-of-a-payment).',
    ].join('\n'),
    table('| Code | Again | Meaning |\n| - | - | - |', rows),
    '## Failures on the ledger',
    [
      'A settlement whose simulation succeeded can still fail on the ledger, as `settle_exact_stellar_transaction_failed`. The answer says why;',
      "the store and the metric `svc_failed_settlement_fees_stroops_total` have the cause. Causes that are *the payer's fault* count towards a",
      '[pause of the payer](abuse.md#the-rules-for-each-payer).',
    ].join('\n'),
    table("| Cause | The payer's fault | Meaning |\n| - | - | - |", failureRows),
    catalogCodes(),
    '## Checks of a listing',
    [
      'The catalog asks a paid resource for its own 402 response: before it publishes the listing, after later payments, and once a day.',
      '`lastOutcome` of `GET /discovery/resources/{id}` has the code and a sentence with what was found; a code `bazaar_...` instead',
      'says which rule of a declaration the response breaks, and `bazaar_resource_unsafe` that the resource is not at a public address.',
      'A rejected listing is quarantined until a payment for the resource leads to a check that passes. Before that, an unreachable',
      'resource is asked again after 1 min, 5 min, 30 min, 2 h and 12 h.',
    ].join('\n'),
    table('| Code | Status | Meaning |\n| - | - | - |', originRows),
    '## HTTP errors',
    [
      'Anything but a verdict is an HTTP error with `error.code`, `error.reason` and `error.retryable`. On `/verify` and `/settle`',
      'the body also has the members of a verdict, because the published x402 clients read those. *In the verdict* is the code in',
      '`invalidReason` or `errorReason`. A 405 carries `Allow`; a 429 and a 503 carry `Retry-After`, in seconds, and',
      'so does an answer with `settle_exact_stellar_channel_unavailable`.',
    ].join('\n'),
    table('| Code | HTTP | Again | In the verdict | Meaning |\n| - | - | - | - | - |', faultRows),
    [
      'Bytes that are not a complete HTTP request get a `bad_request` too: HTTP 408 when they arrive too slowly, 431 when the',
      'headers are too long, else 400.',
    ].join('\n'),
  )
}

function wireCodes(code: string, wire: (typeof faults)[FaultCode]['wire']): string {
  if (wire === 'none') return ''
  if (wire === 'same') return `\`${code}\``
  return wire === 'unexpected'
    ? '`unexpected_verify_error`, `unexpected_settle_error`'
    : `\`${wire}\``
}

interface MetricRow {
  readonly name: string
  readonly kind: string
  readonly labels: readonly string[]
  readonly help: string
}

const metricRows = (metrics: Readonly<Record<string, MetricRow>>): string =>
  table(
    '| Name | Kind | Labels | Meaning |\n| - | - | - | - |',
    Object.values(metrics).map(
      ({ name, kind, labels, help }) =>
        `| \`${name}\` | ${kind} | ${labels.join(', ')} | ${help} |`,
    ),
  )

const metrics = (): string =>
  page(
    '# Metrics',
    made,
    [
      'With this page you can write queries and alerts. The service serves `/metrics` on its own port and on the admin port. The',
      `metrics of the Node process start with \`${processMetricPrefix}\`. A [poll](health.md) reads the ledger and the store every 15 s.`,
    ].join('\n'),
    '## Labels of series',
    [
      'The PodMonitor or ServiceMonitor of a Facilitator adds these labels. [Observability](observability.md#alerts) shows how to route alerts',
      'by them, and how an adapter gives a metric to the autoscaler.',
    ].join('\n'),
    table('| Label | On | Value |\n| - | - | - |', [
      '| `namespace` | every series | namespace of the Facilitator |',
      '| `facilitator` | every series | name of the Facilitator; `x402_svc_dev_facilitator` is the same, for the autoscaler |',
      '| `channelpool` | series with a `network` | name of the ChannelPool of that network |',
      '| `pod`, `container`, `endpoint`, `job` | every series | as the Prometheus operator sets them |',
    ]),
    [
      'The monitor of the chart sets `job` of every series of the operator to its namespace and name, such as',
      '`x402-system/stellar-x402`. In metrics about a Facilitator or ChannelPool `namespace` is the namespace of that resource, and the name is also in',
      '`facilitator` or `channelpool`; in all others it is the namespace of the operator.',
    ].join('\n'),
    '## Of the service',
    metricRows(metricTable),
    '## Of the operator',
    'The operator serves `/metrics` on its admin port. A deleted resource has no metrics.',
    metricRows({ ...resourceMetricTable, ...poolMetricTable }),
    'Of its controllers, queues and requests:',
    metricRows(runtimeMetricTable),
    [
      'Dashboards and alerts for other operators find the same samples under the names of controller-runtime and client-go, too.',
      'Only the bounds of buckets differ. The result `requeue` is a conflict, `requeue_after` an outcome `again`.',
    ].join('\n'),
    table(
      '| Name | Shows |\n| - | - |',
      Object.entries(knownMetrics).map(
        ([metric, { name, labels }]) =>
          `| \`${name}{${labels.join(',')}}\` | \`${runtimeMetricTable[metric as keyof typeof knownMetrics].name}\` |`,
      ),
    ),
  )

const yes = (value: boolean): string => (value ? 'yes' : 'no')
const table = (head: string, rows: readonly string[]): string => [head, ...rows].join('\n')
const page = (...blocks: readonly string[]): string => `${blocks.join('\n\n')}\n`

const statusWords = { success: 'listed', processing: 'on its way', rejected: 'rejected' } as const

/** The section of docs/errors.md on `EXTENSION-RESPONSES`. */
const catalogCodes = (): string =>
  [
    '## The catalog',
    [
      'What became of a declaration: `code` in `EXTENSION-RESPONSES`, and of the last outcome of a listing. None of them changes the verdict',
      'of a payment. [The catalog](catalog.md) explains the words.',
    ].join('\n'),
    [
      '| Code | Outcome | What happened | What a seller does |\n| - | - | - | - |',
      ...Object.entries(codeHelp).map(
        ([code, { status, meaning, remedy }]) =>
          `| \`${code}\` | ${statusWords[status]} | ${meaning} | ${remedy} |`,
      ),
    ].join('\n'),
  ].join('\n\n')

/** `src/stellar/contracts/upto-code-hash.ts`: the hash of the code that the build of the contract wrote. */
function contractCodeModule(): string {
  const sums = readFileSync(new URL('../../contracts/upto/upto.sha256', import.meta.url), 'utf8')
  const hash = /^([0-9a-f]{64}) {2}upto\.wasm$/m.exec(sums)?.[1]
  if (hash === undefined) throw new Error('contracts/upto/upto.sha256 names no hash of upto.wasm')
  return `/** SHA-256 of \`contracts/upto/upto.wasm\`. Made from \`upto.sha256\` beside it by \`make generate\`. */
export const UPTO_CODE_HASH = '${hash}'
`
}
