import { GROUP } from '../../crd/names/group.ts'
import type { Alert, Selector } from './alert.ts'
import { dependencyAlerts } from './dependency-alerts.ts'
import { explorerAlerts } from './explorer-alerts.ts'
import { operatorAlerts } from './operator-alerts.ts'
import { paymentAlerts } from './payment-alerts.ts'
import { resourceAlerts } from './resource-alerts.ts'
import { uptoAlerts } from './upto-alerts.ts'

/** Every alert of the project, on metrics of docs/metrics.md. */
export const alerts: readonly Alert[] = [
  ...paymentAlerts,
  ...dependencyAlerts,
  ...uptoAlerts,
  ...explorerAlerts,
  ...resourceAlerts,
  ...operatorAlerts,
]

/** A rule in the format of Prometheus. */
export interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** Address of the folder with the runbooks where an administrator configures none; `/<alert>.md` follows. */
const RUNBOOKS = `https://${GROUP}/docs/runbooks`

export interface AlertRuleOptions {
  /** For each scope the matchers of its metrics, such as `namespace="a",pod="b"`; empty for none. */
  readonly matchers: Readonly<Partial<Record<Alert['scope'], string>>>
  /** Absolute, without a slash at the end. @default RUNBOOKS */
  readonly runbooks?: string | undefined
}

/** The rules of the scopes that have matchers. */
export const alertRules = ({
  matchers,
  runbooks = RUNBOOKS,
}: AlertRuleOptions): readonly AlertRule[] =>
  alerts.flatMap(({ name, scope, severity, expr, summary, description, for: duration }) => {
    const own = matchers[scope]
    if (own === undefined) return []
    const rule = {
      alert: name,
      expr: expr(selectorOf(own)),
      for: duration,
      labels: { severity },
      annotations: { summary, description, runbook_url: `${runbooks}/${name}.md` },
    }
    return [rule]
  })

const selectorOf =
  (matchers: string): Selector =>
  (metric, more = '') => {
    const all = [matchers, more].filter((each) => each !== '').join(',')
    return all === '' ? metric : `${metric}{${all}}`
  }
