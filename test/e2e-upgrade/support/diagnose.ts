import type { RealCluster } from '../../e2e/support/node.ts'
import { places } from '../../e2e/support/world-places.ts'

const LINES = 15

/** What an administrator would look at when a step fails, as text: nothing of the nodes is left afterwards. */
export async function diagnose(cluster: RealCluster): Promise<string> {
  const inOperator = ['--namespace', places.operator]
  const commands = [
    ['get', 'pods,facilitators,channelpools', '--all-namespaces', '--output=wide'],
    [
      'get',
      'events',
      '--all-namespaces',
      '--field-selector=type=Warning',
      '--sort-by=.lastTimestamp',
    ],
    ['logs', ...inOperator, '--selector=app.kubernetes.io/name=stellar-x402', `--tail=${LINES}`],
  ]
  const outputs = await Promise.all(
    commands.map((args) => cluster.kubectl(args).catch((error: Error) => error.message)),
  )
  return outputs
    .map((output) =>
      output
        .split('\n')
        .slice(-3 * LINES)
        .join('\n'),
    )
    .join('\n\n')
}
