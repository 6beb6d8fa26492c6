import type { ChannelPool } from '../../api/channel-pool.ts'
import { ProvisionFailure } from '../../channels/create-channels.ts'
import { RetireFailure } from '../../channels/merge-channels.ts'
import type { NetworkId } from '../../core/caip2.ts'
import { isPostgresUrl } from '../../core/postgres-url.ts'
import type { KubeObject } from '../../kube/resource.ts'
import { RpcError, type StellarRpc } from '../../stellar/rpc.ts'
import { signerFromSecret } from '../../stellar/signer.ts'
import { isSecretSeed } from '../../stellar/strkey.ts'
import type { Store } from '../../store/open.ts'
import { type FencedWrite, fencedWrites, raiseEpoch } from '../../store/pools/fence.ts'
import { isLastingRefusal, StoreUnavailable } from '../../store/unavailable.ts'
import type { Leadership } from '../leadership.ts'
import type { SecretReader } from '../secrets.ts'
import type { SharedResources } from '../shared-resources.ts'
import { storeKey } from '../store-key.ts'
import { PoolBlocked } from './blockers.ts'

/** What all pools share to reach their Secrets, databases and networks. */
export interface ConnectDeps {
  readonly secrets: SecretReader
  /** By `storeKey`. */
  readonly stores: SharedResources<Store>
  /** By `rpcKey`. */
  readonly networks: SharedResources<ReachedNetwork>
  readonly leadership: Leadership
}

export interface ReachedNetwork extends AsyncDisposable {
  readonly rpc: StellarRpc
}

/** The sponsor, the store and the ledger of one pool. */
export interface Connected {
  readonly network: NetworkId
  readonly sponsorSecret: string
  readonly sponsor: string
  readonly store: Store
  /** Under the fence of this leadership. */
  readonly write: FencedWrite
  readonly rpc: StellarRpc
}

const rpcKey = ({ network, rpc }: Pick<ChannelPool['spec'], 'network' | 'rpc'>): string =>
  JSON.stringify([network, rpc.allowHttp, ...rpc.urls])

/** Throws `PoolBlocked` for a problem that the owner of the pool can solve. */
export type Connect = (pool: ChannelPool & KubeObject, signal: AbortSignal) => Promise<Connected>

export function createConnect({ secrets, stores, networks, leadership }: ConnectDeps): Connect {
  const ready = new WeakSet<Store>()
  return async (pool, signal) => {
    const { spec, metadata } = pool
    const { sponsorSecret, databaseUrl, ca } = await readSecrets(secrets, pool, signal)
    const store = await stores.acquire(
      metadata.uid,
      storeKey({ url: databaseUrl, ca, poolSize: spec.database.poolSize }),
    )
    if (!ready.has(store)) await makeReady(store, leadership)
    ready.add(store)
    const { rpc } = await networks.acquire(metadata.uid, rpcKey(spec))
    return {
      network: spec.network,
      sponsorSecret,
      sponsor: signerFromSecret(sponsorSecret).address,
      store,
      write: fencedWrites(store.db, leadership.fence),
      rpc,
    }
  }
}

async function readSecrets(
  secrets: SecretReader,
  { spec, metadata }: ChannelPool,
  signal: AbortSignal,
) {
  const { namespace } = metadata
  const sponsorSecret = await secrets.read({ namespace, ...spec.sponsorSecretRef }, signal)
  const databaseUrl = await secrets.read({ namespace, ...spec.database.secretRef }, signal)
  const sponsorRef = `Secret ${spec.sponsorSecretRef.name}, key ${spec.sponsorSecretRef.key}`
  const databaseRef = `Secret ${spec.database.secretRef.name}, key ${spec.database.secretRef.key}`
  if (sponsorSecret === undefined) {
    throw new PoolBlocked('SponsorSecretMissing', `There is no ${sponsorRef}: create it.`)
  }
  if (!isSecretSeed(sponsorSecret)) {
    const message = `${sponsorRef} holds no seed of an account (S and 55 more characters).`
    throw new PoolBlocked('SponsorSecretInvalid', message)
  }
  if (databaseUrl === undefined) {
    throw new PoolBlocked('DatabaseSecretMissing', `There is no ${databaseRef}: create it.`)
  }
  if (!isPostgresUrl(databaseUrl)) {
    throw new PoolBlocked('DatabaseSecretInvalid', `${databaseRef} holds no postgres:// URL.`)
  }
  const { caSecretRef } = spec.database
  const ca = caSecretRef && (await secrets.read({ namespace, ...caSecretRef }, signal))
  if (caSecretRef && ca === undefined) {
    const message = `There is no Secret ${caSecretRef.name}, key ${caSecretRef.key}, with the certificate authority of the database: create it.`
    throw new PoolBlocked('DatabaseSecretMissing', message)
  }
  return { sponsorSecret, databaseUrl, ca }
}

/** The operator does not write to a store with another schema: its columns may mean something else. */
async function makeReady(store: Store, { fence }: Leadership): Promise<void> {
  const pending = await store.pendingMigrations()
  if (pending.length > 0) {
    const message =
      `The database lacks ${pending.length} migrations of this version: ` +
      'run svc migrate, or create the Facilitator, which runs it.'
    throw new PoolBlocked('StoreSchemaOutdated', message)
  }
  await raiseEpoch(store.db, fence)
}

/** The error as a reason of the pool; undefined for an error of the operator itself. */
export function blockerOf(error: unknown, spec: ChannelPool['spec']): PoolBlocked | undefined {
  if (error instanceof PoolBlocked) return error
  if (error instanceof ProvisionFailure || error instanceof RetireFailure) {
    return new PoolBlocked('SponsorShort', sentence(error.message), { cause: error })
  }
  if (error instanceof StoreUnavailable && isLastingRefusal(error)) {
    const message = `The database refuses the connection. ${error.refusal?.says}: correct what Secret ${spec.database.secretRef.name} holds.`
    return new PoolBlocked('DatabaseSecretInvalid', message, { cause: error })
  }
  if (error instanceof StoreUnavailable) {
    const message = `The database does not answer: ${error.refusal?.says ?? error.message}.`
    return new PoolBlocked('StoreUnreachable', message, { cause: error })
  }
  if (error instanceof RpcError) {
    if (error.kind === 'wrong_network') {
      const message = `The RPC endpoints serve another network than ${spec.network}: correct spec.rpc.urls.`
      return new PoolBlocked('RpcWrongNetwork', message, { cause: error })
    }
    const message = `No RPC endpoint answers: ${error.message}.`
    return new PoolBlocked('RpcUnreachable', message, { cause: error })
  }
  return undefined
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
