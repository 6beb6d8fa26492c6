/**
 * `make cluster`: the operator to try, with nothing installed. A real Kubernetes API server whose nodes
 * pretend, an embedded ledger, a Postgres and `svc operator`; then the samples are applied. Stays up
 * until it is interrupted, or ends once they are ready with `--once`.
 */
import { once } from 'node:events'
import { harness } from '../../test/cluster/support/tools.ts'
import { samplesWith } from './samples.ts'
import { openTrial } from './trial.ts'

const NAMESPACE = 'x402'
const READY_WITHIN = '180s'

const say = (text: string) => process.stdout.write(`${text}\n`)

async function tryIt(staysUp: boolean): Promise<void> {
  await using trial = await openTrial(NAMESPACE)
  const { cluster, sponsor } = trial
  const inIt = ['-n', NAMESPACE]
  say(`A Kubernetes API server was ready after ${Math.round(cluster.readyAfterMs / 100) / 10} s.`)
  say(`A ledger closes every second; sponsor ${sponsor.address} has ${sponsor.lumens} XLM.`)
  await using operator = trial.operate()
  say(`svc operator is running, its metrics at ${await operator.adminUrl}/metrics`)

  const input = await samplesWith(cluster, trial.own)
  await cluster.kubectl([...inIt, 'apply', '-f', '-'], { input })
  say('manifests/samples is applied, with this ledger, this sponsor and this database in it.')
  for (const resource of ['channelpools', 'facilitators']) {
    const condition = ['--for=condition=Ready', `--timeout=${READY_WITHIN}`]
    await cluster.kubectl([...inIt, 'wait', ...condition, resource, '--all'])
  }
  say(`\n$ kubectl ${inIt.join(' ')} get facilitators,channelpools -o wide`)
  say(await cluster.kubectl([...inIt, 'get', 'facilitators,channelpools', '-o', 'wide']))
  if (!staysUp) return
  say(`Its nodes pretend: pods are ready, but nothing runs in them. To play with it:

  export KUBECONFIG=${cluster.kubeconfigPath}
  kubectl ${inIt.join(' ')} scale channelpool/testnet --replicas=24
  kubectl ${inIt.join(' ')} get channelpools -w

Ctrl-C ends it.`)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
}

say('Building the API server if it is not there yet: some minutes the first time.')
const tool = await harness()
if ('missing' in tool) {
  process.stderr.write(`make cluster: ${tool.missing}\n`)
  process.exitCode = 1
} else {
  await tryIt(!process.argv.includes('--once'))
}
