import { crdFiles } from '../../kubernetes/crd/definitions/crd-files.ts'
import { command } from '../command-line/command.ts'
import { printWhole } from '../command-line/print.ts'

export const crds = command({
  name: 'crds',
  summary: 'prints the definitions of Facilitator and ChannelPool for Kubernetes',
  usage: ['svc crds | kubectl apply --server-side -f -'],
  exits: { 0: 'done' },
  example: 'svc crds | kubectl apply --server-side -f -',
  run: async () => {
    await printWhole(Object.values(crdFiles()).join('---\n'))
    return 0
  },
})
