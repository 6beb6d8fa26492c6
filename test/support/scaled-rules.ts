import type { AlertRule } from '../../src/kubernetes/operator/alerts/alerts.ts'

/**
 * Alert rules whose every duration is divided by one factor, so that a real Prometheus shows in seconds what it shows
 * in hours: `for`, `keep_firing_for`, the ranges, the offsets, and the numbers of seconds that an expression compares
 * with or predicts over. Thresholds that are no time stay: shares, stroops, ledgers, counts, and the second that a
 * settlement may wait for a channel, which is a quality of the service and not of the rule.
 */
export function scaledRule<Rule extends AlertRule>(rule: Rule, factor: number): Rule {
  const scaled = {
    ...rule,
    expr: scaledSeconds(rule, factor).replaceAll(
      inExpression,
      (_, before: string, text: string) => `${before}${scaledDuration(text, factor)}`,
    ),
    for: scaledDuration(rule.for, factor),
  }
  const { keep_firing_for: kept } = Object(rule)
  return kept === undefined ? scaled : { ...scaled, keep_firing_for: scaledDuration(kept, factor) }
}

/** A range or an offset. */
const inExpression = /(\[|offset )(\d+(?:ms|[smhd]))\b/g

/** Numbers of seconds in the expressions: the only ones of all rules. */
export const secondsInExpressions: Readonly<Record<string, string>> = {
  X402SponsorBalanceLow: ', 86400)',
  X402CatalogOutboxStuck: '> 300',
  X402RotationStuck: '> 3600',
  X402DeletionStuck: '> 900',
  X402OperatorStaleCache: '> 600',
}

function scaledSeconds({ alert, expr }: AlertRule, factor: number): string {
  const text = secondsInExpressions[alert]
  if (text === undefined) return expr
  if (expr.split(text).length !== 2) throw new Error(`${alert} has no ${text}`)
  return expr.replace(
    text,
    text.replace(/\d+/, (seconds) => String(Number(seconds) / factor)),
  )
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Prometheus knows no fractions of a unit. */
function scaledDuration(text: string, factor: number): string {
  const [, count, unit = ''] = /^(\d+)(ms|[smhd])$/.exec(text) ?? []
  const ms = Number(count) * (UNIT_MS[unit] ?? Number.NaN)
  if (Number.isNaN(ms)) throw new Error(`not a duration: ${text}`)
  return `${Math.max(1, Math.round(ms / factor))}ms`
}
