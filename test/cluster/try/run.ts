/**
 * `make cluster`: the operator to try, with nothing installed. A real Kubernetes API server whose nodes
 * pretend, an embedded ledger, a Postgres and `svc operator`; then the samples are applied. Stays up
 * until it is interrupted, or ends once they are ready with `--once`.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { startLocalnet } from '../../../src/localnet/server.ts'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/signer.ts'
import { startEmbeddedPostgres } from '../../../src/store/embedded-postgres.ts'
import { openStore } from '../../../src/store/open.ts'
import { installDefinitions } from '../api/objects.ts'
import { startOperator } from '../operator/operator-process.ts'
import { startCluster } from '../support/cluster.ts'
import { harness } from '../support/tools.ts'
import { samplesWith } from './samples.ts'

const NAMESPACE = 'x402'
const SPONSOR_LUMENS = 1_000n
const LUMEN = 10_000_000n
const READY_WITHIN = '180s'

const say = (text: string) => process.stdout.write(`${text}\n`)

async function tryIt(staysUp: boolean): Promise<void> {
  say('Building the API server if it is not there yet: some minutes the first time')
  await using cluster = await startCluster()
  say(`A Kubernetes API server is ready after ${Math.round(cluster.readyAfterMs / 100) / 10} s`)
  await using postgres = await startEmbeddedPostgres()
  await migrate(postgres.url)
  await using localnet = await startLocalnet({ closeEveryMs: 1_000 })
  const seed = randomBytes(32)
  const { address } = signerFromSeed(seed)
  await localnet.pay({ address, asset: 'XLM', amount: SPONSOR_LUMENS * LUMEN })
  say(`An embedded ledger closes every second; sponsor ${address} has ${SPONSOR_LUMENS} XLM`)

  await installDefinitions(cluster)
  const inIt = ['-n', NAMESPACE]
  await cluster.kubectl(['create', 'namespace', NAMESPACE])
  await using operator = startOperator(cluster.kubeconfigPath, {
    WATCH_NAMESPACES: NAMESPACE,
    POD_NAMESPACE: NAMESPACE,
    FACILITATOR_IMAGE: 'ghcr.io/example/x402-stellar:dev',
  })
  say(`svc operator is running, its metrics at ${await operator.adminUrl}/metrics`)

  const own = {
    rpcUrl: localnet.httpUrl,
    sponsorSecret: secretOfSeed(seed),
    databaseUrl: postgres.url,
  }
  const input = await samplesWith(cluster, own)
  await cluster.kubectl([...inIt, 'apply', '-f', '-'], { input })
  say('manifests/samples is applied')
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

/** In a cluster the Job of the Facilitator does it; here its pod only pretends. */
async function migrate(url: string): Promise<void> {
  await using store = await openStore({ kind: 'postgres', url, poolSize: 1 })
  await store.migrate()
}

const tool = await harness()
if ('missing' in tool) {
  process.stderr.write(`make cluster: ${tool.missing}\n`)
  process.exitCode = 1
} else {
  await tryIt(!process.argv.includes('--once'))
}
