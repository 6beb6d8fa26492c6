import { load } from 'js-yaml'

/** One value of the chart. */
export interface ChartValue {
  readonly path: string
  readonly fallback: unknown
  readonly comment: string
}

/** Reads values.yaml, where each value has a comment of one line above it. Throws an Error for a value without one. */
export function chartValues(yaml: string): readonly ChartValue[] {
  const defaults = load(yaml)
  const lines = yaml.split('\n')
  const path: string[] = []
  return lines.flatMap((line, at) => {
    const [, indent = '', name] = /^( *)([\w.-]+):/.exec(line) ?? []
    if (name === undefined) return []
    path.splice(indent.length / 2, path.length, name)
    const fallback = valueAt(defaults, path)
    const isGroup = line.endsWith(':')
    const [, comment] = /^ *# (.+)$/.exec(lines[at - 1] ?? '') ?? []
    if (isGroup && comment === undefined) return []
    if (comment === undefined) throw new Error(`${path.join('.')} has no comment in values.yaml`)
    return [{ path: path.join('.'), fallback, comment }]
  })
}

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => Object(inner)[name], value)

const head = `# stellar-x402

This chart installs the operator of x402 payment facilitators on Stellar, which reconciles the resources \`Facilitator\` and \`ChannelPool\`.
[Install](../../docs/install.md) is the guide; [resources](../../docs/resources.md) lists the fields of both kinds.

\`\`\`sh
helm install stellar-x402 charts/stellar-x402 --namespace x402-system --create-namespace
\`\`\`

\`make generate\` writes this page from \`values.yaml\`; \`make check\` fails when it is out of date.

| Value | Default | Meaning |
| - | - | - |
`

/** The chart's README. */
export const valuesPage = (yaml: string): string =>
  head +
  chartValues(yaml)
    .map(
      ({ path, fallback, comment }) =>
        `| \`${path}\` | \`${JSON.stringify(fallback)}\` | ${comment} |\n`,
    )
    .join('')
