import { expect, test } from 'vitest'
import { alertRules } from '../../../src/kubernetes/operator/alerts/alerts.ts'
import { scaledRule, secondsInExpressions } from '../../support/scaled-rules.ts'

const rules = alertRules({ matchers: { facilitator: 'a="b"', resource: '', operator: '' } })
const rule = (name: string) => {
  const found = rules.find(({ alert }) => alert === name)
  if (!found) throw new Error(`there is no alert ${name}`)
  return found
}

test('every duration of a rule is divided by the factor', () => {
  expect(scaledRule(rule('X402SettleErrorsFast'), 60)).toMatchObject({
    for: '2000ms',
    expr: rule('X402SettleErrorsFast')
      .expr.replaceAll('[1h]', '[60000ms]')
      .replaceAll('[5m]', '[5000ms]'),
  })
  expect(scaledRule(rule('X402ExplorerGaps'), 60).expr).toContain(' offset 60000ms) > 0')
  expect(scaledRule(rule('X402SponsorBalanceLow'), 60).expr).toContain('[360000ms], 1440)')
  expect(scaledRule(rule('X402DeletionStuck'), 60).expr).toMatch(/ > 15$/)
  expect(scaledRule({ ...rule('X402StoreDown'), keep_firing_for: '1h' }, 60)).toMatchObject({
    keep_firing_for: '60000ms',
  })
})

test('nothing else of any rule changes: with the factor 1 it is the same but for the unit', () => {
  const inMs = (text: string) =>
    text.replaceAll(/(?<=\[|offset |^)(\d+)([smhd])\b/g, (_, count: string, unit: string) => {
      const ms = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit] ?? Number.NaN
      return `${Number(count) * ms}ms`
    })
  for (const each of rules) {
    expect(scaledRule(each, 1)).toEqual({ ...each, expr: inMs(each.expr), for: inMs(each.for) })
    const blank = (text: string) => text.replaceAll(/\d+(ms|[smhd])\b/g, 'T')
    const seconds = secondsInExpressions[each.alert] ?? ''
    const without = (expr: string) =>
      blank(expr).replace(seconds.replaceAll(/[\d.]+/g, '').trim(), '')
    const numbers = (expr: string) =>
      without(expr).replaceAll(/ ?\b(300|900|600|3600|86400|5|15|10|60|1440)\b(?=\)|$)/g, '')
    expect(numbers(scaledRule(each, 60).expr)).toBe(numbers(each.expr))
    const { expr: _e, for: _f, ...rest } = each
    expect(scaledRule(each, 60)).toMatchObject(rest)
  }
})

test('each number of seconds stands in its expression, and a rule that compares with time() has one', () => {
  for (const name of Object.keys(secondsInExpressions))
    expect(() => scaledRule(rule(name), 2)).not.toThrow()
  const comparesTime = rules.filter(({ expr }) =>
    /time\(\)|predict_linear|_seconds\{[^}]*\}\) >/.test(expr),
  )
  expect(comparesTime.map(({ alert }) => alert).toSorted()).toEqual(
    Object.keys(secondsInExpressions).toSorted(),
  )
})
