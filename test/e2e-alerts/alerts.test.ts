/**
 * Every alert of the project fires from real series of real processes after a real fault, and is resolved after its
 * repair. The rules are those of the chart and the operator in the API server, with every duration divided.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { alerts } from '../../src/kubernetes/operator/alerts/alerts.ts'
import { alertsOf, expectAlertSeries } from '../support/alert-series.ts'
import { namedMetrics } from '../support/named-metrics.ts'
import { catalogRounds } from './rounds/catalog-rounds.ts'
import { dependencyRounds } from './rounds/dependency-rounds.ts'
import { operatorRounds, slowOperatorRound } from './rounds/operator-rounds.ts'
import { sponsorRounds } from './rounds/sponsor-rounds.ts'
import { uptoRounds } from './rounds/upto-rounds.ts'
import { filledIn, panelQueries, variablesOf } from './support/dashboard.ts'
import { type Played, play, type Round } from './support/round.ts'
import { type OpenScene, openScene } from './support/scene.ts'

const ofOperator: readonly Round[] = [...operatorRounds, ...sponsorRounds]
/** Played while the slow round of the operator goes on: neither disturbs the other. */
const beside: readonly Round[] = [...uptoRounds, ...catalogRounds]
const ROUND_TIMEOUT_MS = 900_000

let scene: OpenScene
let openedAt = 0
beforeAll(async () => {
  openedAt = performance.now()
  scene = await openScene()
}, 600_000)
afterAll(() => scene?.[Symbol.asyncDispose]())

// The sponsors of these rounds have seeds. `test/component/signing/signer-alert.test.ts` has the series of this alert.
const ofSigner = alertsOf.signer.map(({ name }) => name)

test('every alert has a round', () => {
  const rounds = [...ofOperator, ...beside, slowOperatorRound, ...dependencyRounds]
  const played = rounds.flatMap(({ alerts: own }) => Object.keys(own))
  const expected = alerts.map(({ name }) => name).filter((name) => !ofSigner.includes(name))
  expect([...new Set(played)].toSorted()).toEqual(expected.toSorted())
})

describe.each(ofOperator)('while $fault', testRound)

describe('beside a slow round', () => {
  let slow: ReturnType<typeof play>
  beforeAll(() => {
    slow = play(slowOperatorRound, scene)
    slow.catch(() => undefined)
  })

  describe.each(beside)('while $fault', testRound)

  describe(`while ${slowOperatorRound.fault}`, () => testAlerts(slowOperatorRound, () => slow))
})

describe.each(dependencyRounds)('while $fault', testRound)

function testRound(round: Round): void {
  testAlerts(round, () => play(round, scene))
}

function testAlerts(round: Round, end: () => ReturnType<typeof play>): void {
  let played: ReadonlyMap<string, Played>
  beforeAll(async () => {
    played = await end()
  }, ROUND_TIMEOUT_MS)

  test.each(Object.keys(round.alerts))('%s fires, and is resolved after the repair', (alert) => {
    const { fired = [], resolved, error } = played.get(alert) ?? { resolved: false }
    if (error) throw error
    for (const { annotations, labels } of fired) {
      expect(Object.values(annotations).join('\n')).not.toMatch(missingValue)
      expect(labels['severity']).toMatch(/^(critical|warning|info)$/)
    }
    expect(fired).not.toEqual([])
    expect(resolved).toBe(true)
  })
}

/** In a text: a missing value, or a name without its namespace or the reverse. `/health` is a path. */
const missingValue = /<no value>|%!| \/(?!health)|\/ /

/** Of the whole run: each of the tests below needs the series of every round. */
const secondsSoFar = () => Math.ceil((performance.now() - openedAt) / 1_000)

describe('the dashboard', () => {
  test.each(panelQueries)('$panel ($legend) has data', async (query) => {
    const { prometheus } = scene
    const seconds = secondsSoFar()
    const variables = await variablesOf(prometheus)
    for (const [name, values] of Object.entries(variables)) expect(values, name).not.toEqual([])
    const found = await prometheus.range(filledIn(query, variables, seconds), seconds)
    expect(found).not.toEqual([])
    const shown = [...query.legend.matchAll(/{{(\w+)}}/g)].map(([, label = '']) => label)
    for (const { metric } of found)
      expect(Object.keys(metric)).toEqual(expect.arrayContaining(shown))
  })
})

describe('the series of the real processes', () => {
  test('have every metric that an alert or a panel names', async () => {
    const missing = []
    for (const name of namedMetrics) {
      if (name === 'svc_signer_up') continue
      const any = `count({__name__=~"${name}(_count)?"})`
      if ((await scene.prometheus.range(any, secondsSoFar())).length === 0) missing.push(name)
    }
    expect(missing).toEqual([])
  })

  test('have what every alert selects by, and the labels that it keeps', async () => {
    const ever = `last_over_time({__name__=~"svc_.+"}[${secondsSoFar()}s])`
    const all = await scene.prometheus.query(ever)
    const samples = all.map(({ metric: { __name__: name = '', ...labels } }) => ({ name, labels }))
    const { operator, signer: _, ...others } = alertsOf
    const isOfDeletion = ({ name }: { readonly name: string }) => name === 'X402DeletionStuck'
    for (const of of Object.values(others)) expectAlertSeries(samples, of)
    expectAlertSeries(
      samples,
      operator.filter((alert) => !isOfDeletion(alert)),
    )
    // Only a ChannelPool is deleted.
    expectAlertSeries(samples, operator.filter(isOfDeletion), ['facilitator'])
  })
})
