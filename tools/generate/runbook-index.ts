import { alerts } from '../../src/operator/facilitator/alerts.ts'

const head = `# Runbooks

Made from the tables in the code by \`make generate\`; \`make check\` fails when it is out of date.

One page for each alert. Critical means that somebody acts within five minutes, warning within an hour. The commands want to know
which object an alert is about; its labels say it:

\`\`\`sh
export NS=shop          # namespace
export NAME=payments    # name of the Facilitator
export POOL=testnet     # name of the ChannelPool
\`\`\`

\`svc\` is in the image of every pod, and reads there what the pod reads: \`kubectl exec\` runs it without a shell.

| Alert | Severity | On | Meaning |
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
