/** Fetches all facts. Each request has a time limit, and waits only for those whose answer it needs. */

import { sponsorsOf } from '../../payments/channels/sponsor-keys.ts'
import { readPromisedFees } from '../../payments/store/settlements/promised-fees.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Store } from '../../platform/database/open.ts'
import { tableSizes } from '../../platform/database/postgres/table-sizes.ts'
import type { Variables } from '../../settings/parser/environment.ts'
import type { NetworkConfig } from '../../settings/sections/network-settings.ts'
import type { ServeConfig } from '../../settings/serve.ts'
import { contractTtls } from '../../stellar/contracts/contract-ttl.ts'
import { networkFactsOf } from '../facts/derive.ts'
import type {
  DoctorFacts,
  Endpoint,
  ReadFacts,
  ServiceFacts,
  StoredFacts,
} from '../facts/doctor-facts.ts'
import { usable } from '../facts/endpoints.ts'
import { type Fetched, type FetchLimits, fetchAfter, fetchWithin } from '../facts/fetched.ts'
import { watchedContracts } from '../facts/watched-contracts.ts'
import { clientsOf, readEndpoints, readLedger } from './read-network.ts'
import { readSigner } from './read-signer.ts'
import { openLimited, readRoutes, readServer, readStored } from './read-store.ts'
import { readTrial } from './read-trial.ts'
import { readUpto } from './read-upto.ts'
import { secretFiles } from './secret-files.ts'

export interface Gathered {
  readonly service: ServiceFacts
  readonly networks: readonly DoctorFacts[]
}

/** Reads what the checks need; writes nothing, not even a migration. */
export async function gather(
  config: ServeConfig,
  networks: readonly NetworkConfig[],
  variables: Variables,
  limits: FetchLimits,
): Promise<Gathered> {
  const files = await secretFiles(variables)
  const store = config.store.kind === 'memory' ? undefined : await openLimited(config.store, limits)
  try {
    const readStore = store && fetchWithin(limits, () => readServer(store, limits))
    const [server, routes, tables, ...perNetwork] = await Promise.all([
      readStore,
      config.store.kind === 'memory' ? undefined : readRoutes(config.store, limits),
      store && fetchWithin(limits, () => tableSizes(store.db)),
      ...networks.map((network) => gatherNetwork(network, store, readStore, limits)),
    ])
    const now = limits.clock.now()
    const service = { config, now, secretFiles: files, store: server, routes, tables }
    return { service, networks: perNetwork.map((facts) => ({ ...service, ...facts })) }
  } finally {
    // Closing has a time limit, too: a database that hangs does not close its connections.
    if (store) await fetchWithin(limits, () => store.close())
  }
}

type OwnFacts = Omit<DoctorFacts, keyof ServiceFacts>

async function gatherNetwork(
  network: NetworkConfig,
  store: Store | undefined,
  server: Promise<ServiceFacts['store']> | undefined,
  limits: FetchLimits,
): Promise<OwnFacts> {
  const sponsor = sponsorsOf(network).keys.address
  const clients = clientsOf(network, limits)
  const [endpoints, signer, stored] = await Promise.all([
    readEndpoints(clients, limits),
    readSigner(network, limits),
    store && server && storedOf(store, server, network, sponsor, limits),
  ])
  const factsOf = (read: ReadFacts) => ({
    ...networkFactsOf(network, sponsor, read),
    network,
    read,
  })
  const { id, upto } = network
  const best = bestOf(endpoints, id)
  const rpc = clients.find(({ name }) => name === best?.name)?.client
  if (!best || !rpc) {
    const nothing = {
      ledger: unreachable,
      contracts: unreachable,
      trial: unreachable,
      promisedFees: undefined,
    }
    return factsOf({ endpoints, signer, stored, ...nothing, upto: upto && unreachable })
  }
  const count = Math.max(network.channelCount, highestIndex(stored, sponsor) + 1)
  const watched = watchedContracts(network.assets, network.watchedContracts).map((one) => one.id)
  const [ledger, contracts, uptoLedger] = await Promise.all([
    fetchWithin(limits, (signal) => readLedger(rpc, network, sponsor, count, signal)),
    fetchWithin(limits, (signal) => contractTtls(rpc, watched, signal)),
    upto && fetchWithin(limits, (signal) => readUpto(rpc, network, upto.contract, signal)),
  ])
  const readable = stored?.ok ? store : undefined
  const trial = await fetchAfter(ledger, (value) =>
    fetchWithin(limits, (signal) =>
      readTrial({ rpc, network, ledger: value, store: readable }, signal),
    ),
  )
  // The promised fees are read after the balance: a settlement that begins in between counts, and none is missing.
  const promised =
    store && stored?.ok
      ? await fetchWithin(limits, () =>
          readPromisedFees(store.db, { network: id, sponsor, balanceLedger: best.ledger }),
        )
      : undefined
  const promisedFees = promised?.ok ? promised.value : undefined
  return factsOf({
    endpoints,
    signer,
    stored,
    ledger,
    contracts,
    trial,
    upto: uptoLedger,
    promisedFees,
  })
}

const unreachable = { ok: false, why: 'no endpoint answered' } as const

interface BestEndpoint {
  readonly name: string
  /** The newest ledger that it has. */
  readonly ledger: number
}

/** The usable endpoint with the newest ledger. */
export function bestOf(
  endpoints: readonly Endpoint[],
  network: NetworkId,
): BestEndpoint | undefined {
  const [best] = usable(endpoints, network).toSorted(
    (one, other) => other.answer.tip.sequence - one.answer.tip.sequence,
  )
  return best && { name: best.name, ledger: best.answer.tip.sequence }
}

/** Reads the tables of a network; only when the schema is up to date. */
const storedOf = async (
  store: Store,
  server: Promise<ServiceFacts['store']>,
  { id, upto }: NetworkConfig,
  sponsor: string,
  limits: FetchLimits,
): Promise<Fetched<StoredFacts> | undefined> => {
  const serverFacts = await server
  return (
    serverFacts &&
    fetchAfter(serverFacts, async ({ missingMigrations, newerSchema }) =>
      missingMigrations.length > 0 || newerSchema !== undefined
        ? { ok: false, why: 'the schema is not up to date' }
        : fetchWithin(limits, () =>
            readStored(store, id, { sponsor, contract: upto?.contract }, limits),
          ),
    )
  )
}

const highestIndex = (stored: Fetched<StoredFacts> | undefined, sponsor: string): number =>
  Math.max(
    -1,
    ...(stored?.ok ? stored.value.channels : [])
      .filter((channel) => channel.sponsor === sponsor)
      .map(({ index }) => index),
  )
