import { expect, test } from 'vitest'
import {
  alertsOf,
  expectAlertSeries,
  ofFacilitator,
  samplesOf,
} from '../../support/alert-series.ts'

const only = (name: string) => alertsOf.facilitator.filter((alert) => alert.name === name)
const check = (name: string, ...lines: readonly string[]) =>
  expectAlertSeries(samplesOf(lines.join('\n'), ofFacilitator), only(name))

const onNetwork = '{network="stellar:testnet"} 1'
const spendable = `svc_sponsor_spendable_stroops${onNetwork}`

test('an alert passes when a process exposes every series that it reads', () => {
  check('X402SponsorDry', spendable, `svc_sponsor_minimum_stroops${onNetwork}`)
})

test.each([
  { when: 'has no sample', lines: ['# TYPE svc_sponsor_minimum_stroops gauge', spendable] },
  {
    when: 'has samples without a label that the alert keeps',
    lines: ['svc_sponsor_spendable_stroops 1', 'svc_sponsor_minimum_stroops 1'],
  },
])('an alert fails when a series that it reads $when', ({ lines }) => {
  expect(() => check('X402SponsorDry', ...lines)).toThrow()
})

test('an alert fails when no series has the value that it selects', () => {
  expect(() => check('X402StoreDown', 'svc_background_errors_total{task="traces"} 0')).toThrow()
})
