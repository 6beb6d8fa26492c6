import { alerts } from '../../src/operator/facilitator/alerts.ts'

const head = `# Runbooks

The page of an alert helps you to find and end its cause, and to decide whether to escalate. Critical: act within five minutes.
Warning: act within an hour.

\`make generate\` writes this page from the tables in the code; \`make check\` fails when it is out of date.

The commands of the pages use these variables:

\`\`\`sh
export NS=shop          # label namespace of the alert
export NAME=payments    # name of the Facilitator
export POOL=testnet     # name of the ChannelPool
\`\`\`

The expression of an alert of scope facilitator names the Facilitator; alerts about one object have the label \`name\`. This command lists the names,
and the network of each pool: \`kubectl -n $NS get facilitators,channelpools\`. The commands for the operator use the namespace and the release of
[install](../install.md): \`x402-system\` and \`x402-stellar\`.

\`kubectl exec\` runs \`svc\` in a pod, with the configuration of the pod. A pod does not know the size of the pool: \`doctor\` and \`status\` expect
8 channels. Read the number from the ChannelPool, and do not run \`svc provision\`: the operator creates the channels.

| Alert | Severity | Scope | Meaning |
| - | - | - | - |
`

/** `docs/runbooks/README.md`. */
export const runbookIndex = (): string =>
  head +
  alerts
    .map(
      ({ name, severity, scope, summary }) =>
        `| [\`${name}\`](${name}.md) | ${severity} | ${scope} | ${summary} |\n`,
    )
    .join('')
