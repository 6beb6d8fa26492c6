import { readFileSync } from 'node:fs'
import { crdFiles } from '../../src/api/crd-files.ts'
import { toYaml } from '../../src/api/yaml.ts'
import { alertRules } from '../../src/operator/facilitator/alerts.ts'
import { dashboard } from './dashboard.ts'
import { runbookIndex } from './runbook-index.ts'
import { valuesPage } from './values-page.ts'

const chart = 'charts/x402-stellar'
const values = () => readFileSync(new URL(`../../${chart}/values.yaml`, import.meta.url), 'utf8')

const operatorRules = () =>
  toYaml({
    groups: [{ name: 'x402-operator', rules: alertRules({ scope: 'operator', matchers: '' }) }],
  })

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
