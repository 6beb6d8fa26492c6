import { existsSync } from 'node:fs'
import { EX_UNAVAILABLE } from '../../service/process/exit-codes.ts'
import { command } from '../command-line/command.ts'
import { duration, flag, networkId, text, withLetter } from '../command-line/flags.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { kubeExits, runOnCluster } from './run.ts'
import { onlyTarget } from './targets.ts'

const clusterFlags = ['namespace', 'context', 'kubeconfig', 'timeout'] as const

export const kube = command({
  name: 'kube',
  summary: 'shows and steers facilitators in Kubernetes; kubectl svc is the same',
  usage: [
    'svc kube status [NAME] [-n NAMESPACE] [-o json]',
    'svc kube report [NAME] [-n NAMESPACE] [-o FILE]',
    'svc kube pause NAME | pool/NAME [-n NAMESPACE]',
    'svc kube resume NAME | pool/NAME [-n NAMESPACE]',
    'svc kube rollout NAME [--wait] [-n NAMESPACE]',
    'svc kube pay [NAME] [--network ID] [-n NAMESPACE]',
    'svc kube pay --url URL --rpc URL',
  ],
  flags: {
    namespace: withLetter('n', text('NAME', "default: that of the kubeconfig's context")),
    context: text('NAME', 'context of the kubeconfig; default: the current one'),
    kubeconfig: text('FILE', 'default: KUBECONFIG, else ~/.kube/config'),
    timeout: duration('10s', 'time limit of each request to the API server'),
    output: withLetter('o', text('json|FILE', 'status: json; report: the archive to write')),
    wait: flag('rollout: waits until every pod is replaced'),
    'wait-timeout': duration('900s', 'rollout --wait: for how long at most'),
    'operator-namespace': text(
      'NAME',
      'report: where the operator runs; default: found by its labels',
    ),
    network: networkId('pay: on which network; needed with several'),
    url: text(
      'URL',
      'pay: address of the facilitator, instead of a port-forward through the API server',
    ),
    rpc: text('URL', "pay: Stellar RPC over https for the buyer; default: the pool's first one"),
    'buyer-secret-file': text(
      'FILE',
      'pay: file with the seed of the buyer; default: a new account that friendbot funds',
    ),
    'pay-to': text(
      'ADDRESS',
      'pay: account that receives 0.0001 USDC; default: a new one on testnet',
    ),
    'api-key-file': text('FILE', 'pay: file with an API key, where the network asks for one'),
    'real-money': flag('pay: allows stellar:pubnet'),
    json: flag('pay: prints one JSON object'),
  },
  actions: {
    status: [...clusterFlags, 'output'],
    report: [...clusterFlags, 'output', 'operator-namespace'],
    pause: [...clusterFlags],
    resume: [...clusterFlags],
    rollout: [...clusterFlags, 'wait', 'wait-timeout'],
    pay: [
      ...clusterFlags,
      'network',
      'url',
      'rpc',
      'buyer-secret-file',
      'pay-to',
      'api-key-file',
      'real-money',
      'json',
    ],
  },
  positionals: (words, flags, action) => {
    const needsName = action === 'pause' || action === 'resume' || action === 'rollout'
    const target = onlyTarget(words, action, needsName)
    if (target?.kind === 'ChannelPool' && action !== 'pause' && action !== 'resume') {
      throw new UsageError(`${action} takes the name of a Facilitator, not of a ChannelPool`)
    }
    if (action === 'status' && flags.output !== undefined && flags.output !== 'json') {
      throw new UsageError(`--output of status is json, not ${flags.output}`)
    }
    if (flags.output === '') throw new UsageError('--output of report needs the path of a file')
    if (flags.url !== undefined && flags.rpc === undefined) {
      throw new UsageError('--url needs --rpc as well, since no ChannelPool is read')
    }
    for (const name of ['url', 'rpc'] as const) {
      const given = flags[name]
      if (given !== undefined && !/^https?:$/.test(URL.parse(given)?.protocol ?? '')) {
        throw new UsageError(`--${name} is an http or https URL, not ${given}`)
      }
    }
    return { target }
  },
  notes: [
    'status shows one screen: pods, pools, payments of the last hour, problems and what to do, events;',
    'without a name it shows the only Facilitator of the namespace, or lists them. report writes an archive',
    'for support, without secrets. pause and resume set and remove the annotation with which the operator',
    'changes nothing of the object; rollout replaces every pod once. pay makes a test payment of 0.0001',
    'USDC, straight to the facilitator without a seller; it costs the sponsor one fee. Each needs rights, which docs/kubectl-svc.md lists; what a',
    'missing right hides is said, and the rest shown.',
  ],
  env: [['KUBECONFIG', 'the kubeconfig file or files; else ~/.kube/config']],
  exits: kubeExits,
  example: 'svc kube status payments -n shop',
  handlesStop: true,
  run: async ({ action, flags, positionals: { target }, stop, stopAtOnce }) => {
    const input = { flags, target, stop, stopAtOnce }
    switch (action) {
      case 'status':
        return runOnCluster(input, (await import('./status.ts')).status)
      case 'report':
        return runOnCluster(input, (await import('./report.ts')).report)
      case 'pause':
        return runOnCluster(input, (await import('./mark.ts')).pause)
      case 'resume':
        return runOnCluster(input, (await import('./mark.ts')).resume)
      case 'rollout':
        return runOnCluster(input, (await import('./mark.ts')).rollout)
      case 'pay':
        if (!hasDemo) return withoutDemo()
        return runOnCluster(input, (await import('./pay.ts')).pay)
    }
  },
})

/** The container image leaves the stock client out. */
const hasDemo = existsSync(new URL('../../demo', import.meta.url))

function withoutDemo(): number {
  process.stderr.write(
    'svc kube: pay is not in this image, which leaves development tools out. Run it in a clone of the project.\n',
  )
  return EX_UNAVAILABLE
}
