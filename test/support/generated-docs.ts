import { faults } from '../../src/core/faults.ts'
import { metricTable, processMetricPrefix } from '../../src/telemetry/metric-table.ts'
import { reasons } from '../../src/x402/reasons.ts'
import { configurationPage } from './configuration-page.ts'

/** Pages made from tables in the code, by path from the project's root. */
export const generatedDocs: Readonly<Record<string, () => string>> = {
  'docs/configuration.md': () => configurationPage(made),
  'docs/payment-codes.md': paymentCodes,
  'docs/metrics.md': metrics,
}

const made =
  'Made from the tables in the code by `make generate`; `make check` fails when it is out of date.'

function paymentCodes(): string {
  const rows = Object.entries(reasons).map(
    ([code, { retryable, message }]) => `| \`${code}\` | ${yes(retryable)} | ${message} |`,
  )
  const faultRows = Object.entries(faults).map(
    ([code, { status, retryable, help }]) =>
      `| \`${code}\` | ${status} | ${yes(retryable)} | ${help} |`,
  )
  return page(
    '# Codes',
    made,
    '## Payments',
    [
      'A verdict is always HTTP 200. The code is `invalidReason` of `/verify` and `errorReason` of `/settle`; the message beside it',
      'says what was expected and what was seen. *Again* says whether the same request may succeed later.',
    ].join('\n'),
    table('| Code | Again | Meaning |\n| - | - | - |', rows),
    '## Everything else',
    [
      'What is no verdict is an HTTP error with `error.code`, `error.reason` and `error.retryable`. On `/verify` and `/settle` it',
      'keeps the x402 members as well.',
    ].join('\n'),
    table('| Code | HTTP | Again | Meaning |\n| - | - | - | - |', faultRows),
  )
}

function metrics(): string {
  const rows = Object.values(metricTable).map(
    ({ name, kind, labels, help }) => `| \`${name}\` | ${kind} | ${labels.join(', ')} | ${help} |`,
  )
  return page(
    '# Metrics',
    made,
    `\`/metrics\` on the service's and on the admin port. Metrics of the Node process start with \`${processMetricPrefix}\`.`,
    table('| Name | Kind | Labels | Meaning |\n| - | - | - | - |', rows),
  )
}

const yes = (value: boolean): string => (value ? 'yes' : 'no')
const table = (head: string, rows: readonly string[]): string => [head, ...rows].join('\n')
const page = (...blocks: readonly string[]): string => `${blocks.join('\n\n')}\n`
