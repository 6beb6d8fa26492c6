import { parseArgs } from 'node:util'
import { crdFiles } from '../api/crd-files.ts'

const help = `svc crds: prints the definitions of Facilitator and ChannelPool for Kubernetes

  svc crds | kubectl apply --server-side -f -
`

/** @returns the exit code: always 0 */
export async function crds(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { help: { type: 'boolean' } } })
  process.stdout.write(values.help ? help : Object.values(crdFiles()).join('---\n'))
  return 0
}
