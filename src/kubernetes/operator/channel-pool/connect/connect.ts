import type { SponsorKeys } from '../../../../payments/channels/sponsor-keys.ts'
import { InvalidChannelIndex } from '../../../../payments/store/pools/channel-indices.ts'
import {
  Fenced,
  type FencedWrite,
  fencedWrites,
  raiseEpoch,
} from '../../../../payments/store/pools/fence.ts'
import type { PoolOwner } from '../../../../payments/store/pools/ownership.ts'
import type { NetworkId } from '../../../../platform/core/caip2.ts'
import type { Store } from '../../../../platform/database/open.ts'
import {
  isLastingRefusal,
  StoreUnavailable,
} from '../../../../platform/database/postgres/unavailable.ts'
import { storeUntilAborted } from '../../../../platform/database/until-aborted.ts'
import { SignerError } from '../../../../stellar/accounts/envelope-signer.ts'
import { RpcError, type StellarRpc } from '../../../../stellar/rpc/rpc.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import { isBeingDeleted, type KubeObject } from '../../../runtime/objects/resource.ts'
import { rpcSourceOf } from '../../references/pool-rpc.ts'
import { sponsorInUse } from '../../references/rotation-state.ts'
import { type SponsorSource, sponsorSourceId } from '../../references/sponsor-source.ts'
import { databaseFields, inFields } from '../../reporting/in-fields.ts'
import type { Leadership } from '../../store-access/leadership.ts'
import { idOfShared, type SharedResources } from '../../store-access/shared-resources.ts'
import { storeKey } from '../../store-access/store-key.ts'
import type { SecretReader } from '../../watches/secrets.ts'
import { PoolBlocked } from './blockers.ts'
import { isMissingSecret, type PoolSecrets, readPoolSecrets } from './pool-secrets.ts'
import { rpcKey } from './rpc.ts'
import { requireSchema, type SchemaFacts } from './schema.ts'
import { signerBlocker } from './signer-blocker.ts'
import { accessSponsor, type SponsorAccessDeps } from './sponsor-access.ts'
import { addressOfSponsor, readSponsorValues } from './sponsor-values.ts'
import { noEndpointAnswers } from './unreachable-rpc.ts'
import { type Dependencies, sponsorId } from './waiting-pools.ts'

/** The parts that all pools share to reach their Secrets, databases and networks. */
export interface ConnectDeps extends SponsorAccessDeps {
  readonly secrets: SecretReader
  /** Open stores by `storeKey`. */
  readonly stores: SharedResources<Store>
  /** By `rpcKey`. */
  readonly networks: SharedResources<ReachedNetwork>
  readonly leadership: Leadership
}

export interface ReachedNetwork extends AsyncDisposable {
  readonly rpc: StellarRpc
}

/** The sponsor, the store and the ledger of one pool. */
export interface Connected extends SchemaFacts {
  readonly network: NetworkId
  readonly keys: SponsorKeys
  readonly sponsor: string
  /** Where its key lies. */
  readonly source: SponsorSource
  readonly store: Store
  /** The name of this operator's election: one for each cluster. */
  readonly election: string
  /** Writes to the store under the fence of this leadership. */
  readonly write: FencedWrite
  readonly rpc: StellarRpc
  readonly dependencies: Dependencies
  /** Called when the pool has given up a sponsor in the store. */
  readonly freed: (sponsor: Pick<PoolOwner, 'network' | 'sponsor'>) => void
}

/** Throws `PoolBlocked` for a problem that the owner of the pool can solve. */
export type Connect = (
  pool: ChannelPool & KubeObject,
  signal: AbortSignal,
  /** The sponsor to connect. @default the one in use */
  source?: SponsorSource,
) => Promise<Connected>

export interface Connector {
  readonly connect: Connect
  /** The account of a sponsor; undefined while the Secret of its seed holds none. */
  readonly addressOf: (
    pool: ChannelPool & KubeObject,
    source: SponsorSource,
    signal: AbortSignal,
  ) => Promise<string | undefined>
  /** The dependencies of the pool, as far as its last pass came. */
  readonly dependenciesOf: (uid: string) => Dependencies
  /** @param uid of a pool that is gone */
  readonly forgetSecrets: (uid: string) => Promise<void>
}

/**
 * The secrets of each pool stay in the memory of this process: a pool whose Secret was deleted before it, as with its namespace, is
 * cleaned up with the values of the last pass. Only what a signer is asked with is in files, too, which this process alone can read.
 */
export function createConnect(deps: ConnectDeps, freed: Freed = () => undefined): Connector {
  const { secrets, stores, networks, leadership, signerFiles, signers } = deps
  const raised = new WeakSet<Store>()
  const lastSecrets = new Map<string, Map<string, PoolSecrets>>()
  const lastDependencies = new Map<string, Dependencies>()
  // The owner of the database can change the epoch: after a `Fenced` error the next pass looks whether it may be raised again.
  const writesOf = (store: Store, shared: Store): FencedWrite => {
    const write = fencedWrites(store.db, leadership.fence)
    return (query, ...args) =>
      write(query, ...args).catch((error: unknown) => {
        if (error instanceof Fenced) raised.delete(shared)
        throw error
      })
  }
  const connect: Connect = async (pool, signal, source = sponsorInUse(pool)) => {
    const { spec, metadata } = pool
    const ofPool = lastSecrets.get(metadata.uid) ?? new Map<string, PoolSecrets>()
    lastSecrets.set(metadata.uid, ofPool)
    const id = sponsorSourceId(source)
    const read = await readPoolSecrets(secrets, pool, source, signal).catch((error: unknown) => {
      const last = ofPool.get(id)
      if (last && isBeingDeleted(pool) && isMissingSecret(error)) return last
      throw error
    })
    ofPool.set(id, read)
    const named = new Set([id, ...namedSponsors(pool)])
    for (const other of [...ofPool.keys()]) if (!named.has(other)) ofPool.delete(other)
    await signers.keepOnly(metadata.uid, named)
    await signerFiles.keepOnly(metadata.uid, named)
    const { sponsor: values, databaseUrl, ca, endpoints } = read
    const { poolSize } = spec.database
    const { network } = spec
    const sponsor = addressOfSponsor(source, values)
    // A pool of another size has other connections to the same database.
    const database = storeKey({ url: databaseUrl, ca })
    // Pools of all namespaces that have one database contend for its sponsors.
    const storeId = idOfShared(database)
    const dependencies: Dependencies = {
      store: idOfShared(database, metadata.namespace),
      rpc: idOfShared(rpcKey(spec, endpoints), metadata.namespace),
      sponsor: sponsorId(storeId, { network, sponsor }),
    }
    lastDependencies.set(metadata.uid, dependencies)
    const shared = await stores.acquire(metadata, storeKey({ url: databaseUrl, ca, poolSize }))
    const store = storeUntilAborted(shared, signal)
    const schema = await requireSchema(store)
    if (!raised.has(shared)) await raiseEpoch(store.db, leadership.fence)
    raised.add(shared)
    const sponsorOf = { pool, source, sponsor, network, store, signal }
    const keys = await accessSponsor(deps, sponsorOf, values)
    const { rpc } = await networks.acquire(metadata, rpcKey(spec, endpoints))
    return {
      network,
      keys,
      sponsor,
      source,
      store,
      election: leadership.fence.name,
      write: writesOf(store, shared),
      rpc,
      dependencies,
      freed: freedBy(metadata.namespace, storeId, freed),
      ...schema,
    }
  }
  const addressOf: Connector['addressOf'] = async ({ metadata: { namespace } }, source, signal) => {
    if (!source.secretRef) return source.address
    try {
      return addressOfSponsor(
        source,
        await readSponsorValues(secrets, { namespace, source }, signal),
      )
    } catch (error) {
      if (error instanceof PoolBlocked) return undefined
      throw error
    }
  }
  return {
    connect,
    addressOf,
    dependenciesOf: (uid) => lastDependencies.get(uid) ?? {},
    forgetSecrets: async (uid) => {
      lastSecrets.delete(uid)
      lastDependencies.delete(uid)
      await signers.keepOnly(uid, new Set())
      await signerFiles.keepOnly(uid, new Set())
    },
  }
}

type Freed = (sponsor: string, namespace: string | undefined) => void

/** Stays in memory as long as the pool: a function within the pass would keep what that knows. */
const freedBy =
  (namespace: string | undefined, storeId: string, freed: Freed): Connected['freed'] =>
  (of) =>
    freed(sponsorId(storeId, of), namespace)

/** Nothing else is kept: a tenant could make a pool name thousands of Secrets, one after another. */
const namedSponsors = ({ spec, status }: ChannelPool): readonly string[] => {
  const { sponsor, rotation } = status ?? {}
  const sources = [spec.sponsor, sponsor?.source, rotation?.from.source, rotation?.to.source]
  return sources.flatMap((source) => (source ? [sponsorSourceId(source)] : []))
}

const poolFields = new Map(Object.entries(databaseFields))
const inPoolFields = (text: string): string => inFields(text, poolFields)

/** The error as a reason of the pool; undefined for an error of the operator itself. */
export function blockerOf(error: unknown, spec: ChannelPool['spec']): PoolBlocked | undefined {
  if (error instanceof PoolBlocked) return error
  if (error instanceof SignerError) return signerBlocker(error)
  if (error instanceof StoreUnavailable && isLastingRefusal(error)) {
    const message = `The database refuses the connection. ${inPoolFields(error.message)}`
    return new PoolBlocked('DatabaseSecretInvalid', message, { cause: error })
  }
  if (error instanceof StoreUnavailable) {
    const message = `The database does not answer: ${error.refusal ? inPoolFields(error.message) : `${error.message}.`}`
    return new PoolBlocked('StoreUnreachable', message, { cause: error })
  }
  if (error instanceof InvalidChannelIndex) {
    return new PoolBlocked('ChannelsInvalid', `${error.message}.`, { cause: error })
  }
  if (error instanceof Fenced) {
    const { name, epoch } = error.fence
    const message =
      `The table operator_epochs of the database has another epoch than ${epoch}, that of this leader, for ${name}: the operator writes nothing there. ` +
      'This passes when another operator has just taken over the lead. If none has, as after a restore of the cluster or a change by hand, ' +
      `run in the database: delete from operator_epochs where name = '${name}'.`
    return new PoolBlocked('Fenced', message, { cause: error })
  }
  if (error instanceof RpcError) {
    if (error.kind === 'wrong_network') {
      const message = `The RPC endpoints serve another network than ${spec.network}: correct ${rpcSourceOf(spec)}.`
      return new PoolBlocked('RpcWrongNetwork', message, { cause: error })
    }
    const message = noEndpointAnswers(error)
    return new PoolBlocked('RpcUnreachable', message, { cause: error })
  }
  return undefined
}
