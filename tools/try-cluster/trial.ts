import { randomBytes } from 'node:crypto'
import { startEmbeddedPostgres } from '../../src/demo/postgres/embedded-postgres.ts'
import { type LocalnetServer, startLocalnetServer } from '../../src/localnet/server/server.ts'
import { openStore } from '../../src/platform/database/open.ts'
import { secretOfSeed, signerFromSeed } from '../../src/stellar/accounts/signer.ts'
import { installDefinitions } from '../../test/cluster/kubernetes/crd/objects.ts'
import {
  type OperatorProcess,
  startOperator,
} from '../../test/cluster/kubernetes/operator/operator-process.ts'
import { type OwnedCluster, startCluster } from '../../test/cluster/support/cluster.ts'
import { made } from '../../test/cluster/support/means.ts'
import type { OwnValues } from './samples.ts'

const SPONSOR_LUMENS = 1_000n
const LUMEN = 10_000_000n
/** Never pulled: the nodes are simulated. */
const IMAGE = 'registry.example/stellar-x402:dev'

/** A cluster, a network, a database and a sponsor on one machine: everything an operator needs. */
export interface Trial extends AsyncDisposable {
  readonly cluster: OwnedCluster
  readonly localnet: LocalnetServer
  readonly namespace: string
  readonly own: OwnValues
  readonly sponsor: { readonly address: string; readonly lumens: bigint }
  /** Starts an operator. */
  operate(environment?: Readonly<Record<string, string>>): OperatorProcess
}

export async function openTrial(namespace: string, closeEveryMs = 1_000): Promise<Trial> {
  await using opened = new AsyncDisposableStack()
  const cluster = opened.use(await startCluster(made))
  const postgres = opened.use(await startEmbeddedPostgres())
  await migrate(postgres.url)
  const localnet = opened.use(await startLocalnetServer({ closeEveryMs }))
  const seed = randomBytes(32)
  const { address } = signerFromSeed(seed)
  await localnet.pay({ address, asset: 'XLM', amount: SPONSOR_LUMENS * LUMEN })
  await installDefinitions(cluster)
  await cluster.kubectl(['create', 'namespace', namespace])
  const resources = opened.move()
  return {
    cluster,
    localnet,
    namespace,
    own: {
      rpcUrl: localnet.httpUrl,
      sponsorSecret: secretOfSeed(seed),
      databaseUrl: postgres.url,
    },
    sponsor: { address, lumens: SPONSOR_LUMENS },
    operate: (environment = {}) =>
      startOperator(cluster.kubeconfigPath, {
        WATCH_NAMESPACES: namespace,
        POD_NAMESPACE: namespace,
        FACILITATOR_IMAGE: IMAGE,
        ...environment,
      }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** In a real cluster the Job of the Facilitator migrates; simulated nodes do not run it. */
async function migrate(url: string): Promise<void> {
  await using store = await openStore({ kind: 'postgres', url, poolSize: 1 })
  await store.migrate()
}
