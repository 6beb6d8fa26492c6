/**
 * `make cluster`: tries the operator on a machine without Kubernetes. Starts a real API server with simulated
 * nodes, an embedded ledger, a Postgres and `svc operator`, and applies the samples. Runs until it is
 * interrupted or, with `--once`, until the samples are ready.
 */
import { once } from 'node:events'
import { made } from '../../test/cluster/support/means.ts'
import { harness } from '../../test/cluster/support/tools.ts'
import { samplesWith } from './samples.ts'
import { openTrial } from './trial.ts'

const NAMESPACE = 'x402'
const READY_TIMEOUT = '180s'

const say = (text: string) => process.stdout.write(`${text}\n`)

async function tryOperator(keepRunning: boolean): Promise<void> {
  await using trial = await openTrial(NAMESPACE)
  const { cluster, sponsor } = trial
  const inIt = ['-n', NAMESPACE]
  say(`The Kubernetes API server was ready after ${Math.round(cluster.readyAfterMs / 100) / 10} s.`)
  say(
    `The network closes a ledger every second; the sponsor ${sponsor.address} has ${sponsor.lumens} XLM.`,
  )
  await using operator = trial.operate()
  say(`svc operator is running; its metrics: ${await operator.adminUrl}/metrics`)

  const input = await samplesWith(cluster, trial.own)
  await cluster.kubectl([...inIt, 'apply', '-f', '-'], { input })
  say('Applied manifests/samples with the URL of this network, this sponsor and this database.')
  for (const resource of ['channelpools', 'facilitators']) {
    const condition = ['--for=condition=Ready', `--timeout=${READY_TIMEOUT}`]
    await cluster.kubectl([...inIt, 'wait', ...condition, resource, '--all'])
  }
  say(`\n$ kubectl ${inIt.join(' ')} get facilitators,channelpools -o wide`)
  say(await cluster.kubectl([...inIt, 'get', 'facilitators,channelpools', '-o', 'wide']))
  if (!keepRunning) return
  say(`The nodes are simulated: pods become ready, but no container runs. Try:

  export KUBECONFIG=${cluster.kubeconfigPath}
  kubectl ${inIt.join(' ')} scale channelpool/testnet --replicas=24
  kubectl ${inIt.join(' ')} get channelpools -w

Ctrl-C stops the cluster.`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}

say('Building the API server, unless it is cached; the first time takes some minutes.')
const tool = await harness(made)
if ('missing' in tool) {
  process.stderr.write(`make cluster: ${tool.missing}\n`)
  process.exitCode = 1
} else {
  await tryOperator(!process.argv.includes('--once'))
}
