/** Everything that touches the world. Each question is bounded in time, and none waits for another
 * that it does not need. */
import type { Variables } from '../config/environment.ts'
import type { NetworkConfig } from '../config/network-settings.ts'
import type { ServeConfig } from '../config/serve.ts'
import { signerFromSecret } from '../stellar/signer.ts'
import type { Store } from '../store/open.ts'
import type { Endpoint, NetworkFacts, ServiceFacts, StoredFacts } from './facts.ts'
import { clientsOf, readContracts, readEndpoints, readLedger } from './read-network.ts'
import { openForLooking, readServer, readStored } from './read-store.ts'
import { type Bounds, type Reading, readingAfter, readingOf } from './reading.ts'
import { usable } from './rpc-checks.ts'
import { secretFiles } from './secret-files.ts'

export interface Gathered {
  readonly service: ServiceFacts
  readonly networks: readonly NetworkFacts[]
}

/** Reads what the checks judge; writes nothing, not even a migration. */
export async function gather(
  config: ServeConfig,
  networks: readonly NetworkConfig[],
  variables: Variables,
  bounds: Bounds,
): Promise<Gathered> {
  const files = await secretFiles(variables)
  const store =
    config.store.kind === 'memory' ? undefined : await openForLooking(config.store, bounds)
  try {
    const readStore = store && readingOf(bounds, () => readServer(store, bounds))
    const [server, ...seen] = await Promise.all([
      readStore,
      ...networks.map((network) => lookAt(network, store, readStore, bounds)),
    ])
    const service = { config, secretFiles: files, store: server }
    return { service, networks: seen.map((facts) => ({ ...service, ...facts })) }
  } finally {
    // A database that hangs would keep its connections open for longer than anybody looks.
    if (store) await readingOf(bounds, () => store.close())
  }
}

type Looked = Omit<NetworkFacts, keyof ServiceFacts>

async function lookAt(
  network: NetworkConfig,
  store: Store | undefined,
  server: Promise<ServiceFacts['store']> | undefined,
  bounds: Bounds,
): Promise<Looked> {
  const sponsor = signerFromSecret(network.sponsorSecret).address
  const clients = clientsOf(network, bounds)
  const [endpoints, stored] = await Promise.all([
    readEndpoints(clients, bounds),
    store && server && storedOf(store, server, network, sponsor, bounds),
  ])
  const best = bestOf({ endpoints, network })
  const rpc = clients.find(({ name }) => name === best)?.client
  if (!rpc) {
    return { network, sponsor, endpoints, stored, ledger: outOfReach, contracts: outOfReach }
  }
  const count = Math.max(network.channelCount, highestIndex(stored, sponsor) + 1)
  const [ledger, contracts] = await Promise.all([
    readingOf(bounds, (signal) => readLedger(rpc, network, sponsor, count, signal)),
    readingOf(bounds, (signal) => readContracts(rpc, network, signal)),
  ])
  return { network, sponsor, endpoints, stored, ledger, contracts }
}

const outOfReach = { ok: false, why: 'no endpoint answered' } as const

/** The one that has seen most. */
function bestOf(facts: {
  readonly endpoints: readonly Endpoint[]
  readonly network: NetworkConfig
}): string | undefined {
  const newestFirst = usable(facts).toSorted(
    (one, other) => other.answer.tip.sequence - one.answer.tip.sequence,
  )
  return newestFirst[0]?.name
}

/** Tables are read only when they are as this program knows them. */
const storedOf = async (
  store: Store,
  server: Promise<ServiceFacts['store']>,
  { id }: NetworkConfig,
  sponsor: string,
  bounds: Bounds,
): Promise<Reading<StoredFacts> | undefined> => {
  const known = await server
  return (
    known &&
    readingAfter(known, async ({ missingMigrations }) =>
      missingMigrations.length > 0
        ? { ok: false, why: 'the schema is not up to date' }
        : readingOf(bounds, () => readStored(store, id, sponsor, bounds)),
    )
  )
}

const highestIndex = (stored: Reading<StoredFacts> | undefined, sponsor: string): number =>
  Math.max(
    -1,
    ...(stored?.ok ? stored.value.channels : [])
      .filter((channel) => channel.sponsor === sponsor)
      .map(({ index }) => index),
  )
