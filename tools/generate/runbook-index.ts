import { alerts } from '../../src/operator/facilitator/alerts.ts'

const head = `# Runbooks

With the page of an alert you can find its cause, end it, and decide whether to escalate. Critical: act within five minutes.
Warning: act within an hour.

\`make generate\` writes this page from the tables in the code; \`make check\` fails when it is out of date.

The commands of the pages use these variables. The labels of the alert have the values:

\`\`\`sh
export NS=shop          # namespace
export NAME=payments    # name of the Facilitator
export POOL=testnet     # name of the ChannelPool
\`\`\`

The image of every pod contains \`svc\`. \`kubectl exec\` runs it there, without a shell and with the configuration of the pod.

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
