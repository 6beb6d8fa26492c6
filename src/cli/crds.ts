import { parseArgs } from 'node:util'
import { crdFiles } from '../api/crd-files.ts'
import { helpPage, usageExit } from './help.ts'

const help = helpPage({
  name: 'crds',
  summary: 'prints the definitions of Facilitator and ChannelPool for Kubernetes',
  usage: ['svc crds | kubectl apply --server-side -f -'],
  options: [],
  notes: [],
  environment: [['nothing', 'is read']],
  exits: { 0: 'done', ...usageExit },
  example: 'svc crds | kubectl apply --server-side -f -',
})

/** @returns the exit code: always 0 */
export async function crds(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { help: { type: 'boolean', short: 'h' } },
  })
  process.stdout.write(values.help ? help : Object.values(crdFiles()).join('---\n'))
  return 0
}
