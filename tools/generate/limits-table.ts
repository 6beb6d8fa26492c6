import { readFileSync } from 'node:fs'
import type { Limit } from '../../src/payments/engine/limits/limit.ts'
import { LIMITS } from '../../src/payments/engine/limits/limits.ts'
import { faults } from '../../src/platform/core/errors/faults.ts'
import { metricTable } from '../../src/platform/telemetry/metrics/metric-table.ts'

const PAGE = new URL('../../docs/abuse.md', import.meta.url)
const HEAD = '| Limit | Asked at | Reached when | Then | Counted by |\n| - | - | - | - | - |\n'

/** `docs/abuse.md` as it is, with the rows of its table of limits from the code. */
export function withLimitsTable(): string {
  const [before, after] = readFileSync(PAGE, 'utf8').split(HEAD)
  const end = after?.indexOf('\n\n') ?? -1
  if (before === undefined || after === undefined || end < 0) {
    throw new Error('docs/abuse.md has no table of limits')
  }
  return `${before}${HEAD}${LIMITS.map(row).join('\n')}${after.slice(end)}`
}

const row = (limit: Limit): string =>
  `| ${limit.name} | ${limit.when.join(', ')} | ${limit.sentence} | ${effectOf(limit)} | ${counted(limit)} |`

function effectOf(limit: Limit): string {
  if (limit.effect === 'error') return `HTTP ${faults[limit.fault].status} \`${limit.fault}\``
  if (limit.effect !== 'refuse') return limit.effect
  const code =
    limit.code === 'expired' ? "the scheme's code for an expired one" : `\`${limit.code}\``
  return limit.hasRetryAfter ? `${code}, \`Retry-After\`` : code
}

function counted(limit: Limit): string {
  if (!('metric' in limit) || !limit.metric) return ''
  const { name, labels } = limit.metric
  const shown = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  return `\`${metricTable[name].name}${shown.length > 0 ? `{${shown.join()}}` : ''}\``
}
