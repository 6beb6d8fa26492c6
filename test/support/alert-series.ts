/**
 * Whether a process exposes the series that alerts read, with the labels that they select by and keep. A test of
 * an alert on series that a person wrote down shows nothing about that: the alert may never fire.
 */
import { expect } from 'vitest'
import type { Alert } from '../../src/kubernetes/operator/alerts/alert.ts'
import { alertRules, alerts } from '../../src/kubernetes/operator/alerts/alerts.ts'

type Labels = Readonly<Record<string, string>>

interface Sample {
  readonly name: string
  readonly labels: Labels
}

interface Selected {
  readonly alert: string
  readonly metric: string
  readonly matchers: readonly Matcher[]
}

interface Matcher {
  readonly label: string
  readonly operator: string
  readonly value: string
}

/** Values that only what the alert reports brings: of these labels a sample with any value counts. */
const stateLabels: Readonly<Record<string, string>> = {
  svc_http_request_duration_seconds_count: 'status',
  svc_rpc_requests_total: 'outcome',
  svc_resource_condition: 'status',
}

/** The samples of an exposition, with the labels that the monitor adds to each. */
export const samplesOf = (exposition: string, target: (own: Labels) => Labels): readonly Sample[] =>
  exposition
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', text = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? []
      const own = Object.fromEntries(
        [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', value = '']) => [
          label,
          value,
        ]),
      )
      return { name, labels: { ...own, ...target(own) } }
    })

/** As render/monitoring.ts adds them for the Facilitator shop/payments. */
export const ofFacilitator = (own: Labels): Labels => ({
  ...{ namespace: 'shop', facilitator: 'payments', job: 'shop/payments-pods', pod: 'payments-a' },
  ...('network' in own && { channelpool: 'testnet' }),
})

/** As the chart's monitor adds them; with honorLabels the namespace of a resource stays. */
export const ofOperator = (own: Labels): Labels => ({
  ...{ job: 'x402-system/stellar-x402', pod: 'stellar-x402-a' },
  namespace: own['namespace'] ?? 'x402-system',
})

const rules = alertRules({
  matchers: {
    facilitator: 'namespace="shop",facilitator="payments"',
    resource: 'job="x402-system/stellar-x402"',
    operator: 'namespace="x402-system",job="x402-system/stellar-x402"',
  },
})

const selectors: readonly Selected[] = rules.flatMap(({ alert, expr }) =>
  [...expr.matchAll(/\b(svc_\w+)\{([^}]*)\}/g)].map(([, metric = '', text = '']) => ({
    alert,
    metric,
    matchers: [...text.matchAll(/(\w+)(=~|!=|!~|=)"([^"]*)"/g)].map(
      ([, label = '', operator = '', value = '']) => ({ label, operator, value }),
    ),
  })),
)

function matches({ label, operator, value }: Matcher, labels: Labels): boolean {
  const given = labels[label] ?? ''
  const holds = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(given) : given === value
  return operator.startsWith('!') ? !holds : holds
}

const isFound = (selected: Selected, { name, labels }: Sample): boolean =>
  name === selected.metric &&
  selected.matchers.every((matcher) =>
    stateLabels[name] === matcher.label ? matcher.label in labels : matches(matcher, labels),
  )

/** Labels that an expression groups by and that no sample of its metrics has. */
function lostLabels(expr: string, samples: readonly Sample[]): readonly string[] {
  const metrics = new Set([...expr.matchAll(/\bsvc_\w+/g)].map(([name]) => name))
  const known = new Set(
    samples.filter(({ name }) => metrics.has(name)).flatMap(({ labels }) => Object.keys(labels)),
  )
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(', '),
  )
  return [...new Set(grouped)].filter((label) => !known.has(label))
}

/**
 * Expects a sample for every selector of these alerts, and every label that they keep, except `absent`: one that only
 * objects of another kind have.
 */
export function expectAlertSeries(
  samples: readonly Sample[],
  read: readonly Pick<Alert, 'name'>[],
  absent: readonly string[] = [],
): void {
  const names = read.map(({ name }) => name)
  const own = selectors.filter(({ alert }) => names.includes(alert))
  expect(own.length).toBeGreaterThan(0)
  const missing = own.filter((selected) => !samples.some((sample) => isFound(selected, sample)))
  expect(missing, 'selectors of alerts without a sample').toEqual([])
  const lost = rules
    .filter(({ alert }) => names.includes(alert))
    .map(({ alert, expr }) => [alert, lostLabels(expr, samples).filter((l) => !absent.includes(l))])
    .filter(([, labels]) => labels?.length !== 0)
  expect(lost, 'labels of alerts that no sample has').toEqual([])
}

const isExplorers = (name: string): boolean => name.startsWith('X402Explorer')

const isRotations = ({ name }: Pick<Alert, 'name'>): boolean => name === 'X402RotationStuck'

const isSigners = (name: string): boolean => name === 'X402SignerFailing'

/** Alerts by the process whose series they read. */
export const alertsOf = {
  facilitator: alerts.filter(
    ({ name, scope }) => scope === 'facilitator' && !isExplorers(name) && !isSigners(name),
  ),
  /** Only where the key of the sponsor lies outside the process. */
  signer: alerts.filter(({ name }) => isSigners(name)),
  explorer: alerts.filter(({ name }) => isExplorers(name)),
  operator: alerts.filter((alert) => alert.scope !== 'facilitator' && !isRotations(alert)),
  /** Only while a pool moves to another sponsor. */
  rotation: alerts.filter(isRotations),
}
