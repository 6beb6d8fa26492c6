import { readFileSync } from 'node:fs'
import { crdFiles } from '../../src/kubernetes/crd/definitions/crd-files.ts'
import { toYaml } from '../../src/kubernetes/crd/definitions/yaml.ts'
import { alertRules } from '../../src/kubernetes/operator/alerts/alerts.ts'
import { dashboard } from './dashboard.ts'
import { runbookIndex } from './runbook-index.ts'
import { valuesPage } from './values-page.ts'

const chart = 'charts/stellar-x402'
const values = () => readFileSync(new URL(`../../${chart}/values.yaml`, import.meta.url), 'utf8')

/** The chart replaces OPERATOR_JOB and OPERATOR_NAMESPACE by those of the release: its alerts are about no other. */
const ofRelease = {
  resource: 'job="OPERATOR_JOB"',
  operator: 'namespace="OPERATOR_NAMESPACE",job="OPERATOR_JOB"',
}

const operatorRules = () =>
  toYaml({ groups: [{ name: 'x402-operator', rules: alertRules({ matchers: ofRelease }) }] })

/** Files of the chart that are made from the code, by path from the project's root. */
export const packagingFiles: Readonly<Record<string, () => string>> = {
  'docs/runbooks/README.md': runbookIndex,
  [`${chart}/README.md`]: () => valuesPage(values()),
  [`${chart}/files/alerts.yaml`]: operatorRules,
  [`${chart}/files/dashboard.json`]: dashboard,
  ...Object.fromEntries(
    Object.entries(crdFiles()).map(([name, text]) => [`${chart}/files/crds/${name}`, () => text]),
  ),
}
