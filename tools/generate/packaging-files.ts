import { readFileSync } from 'node:fs'
import { crdFiles } from '../../src/kubernetes/crd/definitions/crd-files.ts'
import { toYaml } from '../../src/kubernetes/crd/definitions/yaml.ts'
import { alertRules, alerts } from '../../src/kubernetes/operator/alerts/alerts.ts'
import { dashboard } from './dashboard.ts'
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
  'docs/runbooks/README.md': () => runbookIndex(),
  [`${chart}/README.md`]: () => valuesPage(values()),
  [`${chart}/files/alerts.yaml`]: operatorRules,
  [`${chart}/files/dashboard.json`]: dashboard,
  ...Object.fromEntries(
    Object.entries(crdFiles()).map(([name, text]) => [`${chart}/files/crds/${name}`, () => text]),
  ),
}

const head = `# Runbooks

The page of an alert helps you to find and end its cause, and to decide whether to escalate. Critical: act within five minutes.
Warning: act within an hour. Info: read it on the next working day.

\`make generate\` writes this page from the tables in the code; \`make check\` fails when it is out of date.

The commands of the pages use these variables:

\`\`\`sh
export NS=shop          # label namespace of the alert
export NAME=payments    # label facilitator
export POOL=testnet     # label channelpool
\`\`\`

Every alert has the labels of the object it is about. An alert about one Facilitator or one ChannelPool lacks the label of the other kind: this command
lists both, with the network of each pool: \`kubectl -n $NS get facilitators,channelpools\`. Alerts of scope operator have the namespace of the operator,
and its namespace and name in the label \`job\`; the commands for it use those of [install](../install.md), \`x402-system\` and \`stellar-x402\`.

\`kubectl exec\` runs \`svc\` in a pod, with the configuration of the pod. A pod does not know the size of the pool: \`status\` expects 8 channels.
Read the number from the ChannelPool, and do not run \`svc provision\`: the operator creates the channels.

| Alert | Severity | Scope | Meaning |
| - | - | - | - |
`

/** `docs/runbooks/README.md`. */
const runbookIndex = (): string =>
  head +
  alerts
    .map(
      ({ name, severity, scope, summary }) =>
        `| [\`${name}\`](${name}.md) | ${severity} | ${scope} | ${summary} |\n`,
    )
    .join('')
