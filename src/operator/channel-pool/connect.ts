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
import { StoreUnavailable } from '../../store/unavailable.ts'
import type { Leadership } from '../leadership.ts'
import type { SecretReader } from '../secrets.ts'
import type { SharedUse } from '../shared-use.ts'
import { Obstacle } from './obstacles.ts'

/** The ways to the outside that pools share. */
export interface Outside {
  readonly secrets: SecretReader
  /** By the URL of the database. */
  readonly stores: SharedUse<Store>
  /** By network and addresses; see `rpcKey`. */
  readonly networks: SharedUse<ReachedNetwork>
  readonly leadership: Leadership
}

export interface ReachedNetwork extends AsyncDisposable {
  readonly rpc: StellarRpc
}

/** Everything there is to work on a pool with. */
export interface Connected {
  readonly network: NetworkId
  readonly sponsorSecret: string
  readonly sponsor: string
  readonly store: Store
  /** Under the fence of this leadership. */
  readonly write: FencedWrite
  readonly rpc: StellarRpc
}

export const rpcKey = ({ network, rpc }: Pick<ChannelPool['spec'], 'network' | 'rpc'>): string =>
  JSON.stringify([network, rpc.allowHttp, ...rpc.urls])

/** Throws an `Obstacle` for what the owner of the pool can do something about. */
export type Connect = (pool: ChannelPool & KubeObject, signal: AbortSignal) => Promise<Connected>

export function createConnect({ secrets, stores, networks, leadership }: Outside): Connect {
  const ready = new WeakSet<Store>()
  return async (pool, signal) => {
    const { spec, metadata } = pool
    const { sponsorSecret, databaseUrl } = await readSecrets(secrets, pool, signal)
    const store = await stores.take(metadata.uid, databaseUrl)
    if (!ready.has(store)) await makeReady(store, leadership)
    ready.add(store)
    const { rpc } = await networks.take(metadata.uid, rpcKey(spec))
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
  const databaseUrl = await secrets.read({ namespace, ...spec.databaseSecretRef }, signal)
  const sponsorRef = `Secret ${spec.sponsorSecretRef.name}, key ${spec.sponsorSecretRef.key}`
  const databaseRef = `Secret ${spec.databaseSecretRef.name}, key ${spec.databaseSecretRef.key}`
  if (sponsorSecret === undefined) {
    throw new Obstacle('SponsorSecretMissing', `There is no ${sponsorRef}: create it.`)
  }
  if (!isSecretSeed(sponsorSecret)) {
    const message = `${sponsorRef} holds no seed of an account (S and 55 more characters).`
    throw new Obstacle('SponsorSecretInvalid', message)
  }
  if (databaseUrl === undefined) {
    throw new Obstacle('DatabaseSecretMissing', `There is no ${databaseRef}: create it.`)
  }
  if (!isPostgresUrl(databaseUrl)) {
    throw new Obstacle('DatabaseSecretInvalid', `${databaseRef} holds no postgres:// URL.`)
  }
  return { sponsorSecret, databaseUrl }
}

/** A store of another version is left alone: what its columns mean may have changed. */
async function makeReady(store: Store, { fence }: Leadership): Promise<void> {
  const pending = await store.pendingMigrations()
  if (pending.length > 0) {
    const message =
      `The database lacks ${pending.length} migrations of this version: ` +
      'run svc migrate, or create the Facilitator, which runs it.'
    throw new Obstacle('StoreSchemaOutdated', message)
  }
  await raiseEpoch(store.db, fence)
}

/** What went wrong outside, as an obstacle; undefined for what is none. */
export function obstacleOf(error: unknown, spec: ChannelPool['spec']): Obstacle | undefined {
  if (error instanceof Obstacle) return error
  if (error instanceof ProvisionFailure || error instanceof RetireFailure) {
    return new Obstacle('SponsorShort', `${sentence(error.message)}`, { cause: error })
  }
  if (isRefusedConnection(error)) {
    const message = `The database refuses the connection: ${error.message}: correct what Secret ${spec.databaseSecretRef.name} holds.`
    return new Obstacle('DatabaseSecretInvalid', message, { cause: error })
  }
  if (error instanceof StoreUnavailable) {
    const message = `The database does not answer: ${error.message}.`
    return new Obstacle('StoreUnreachable', message, { cause: error })
  }
  if (error instanceof RpcError) {
    if (error.kind === 'wrong_network') {
      const message = `The RPC endpoints serve another network than ${spec.network}: correct spec.rpc.urls.`
      return new Obstacle('RpcWrongNetwork', message, { cause: error })
    }
    const message = `No RPC endpoint answers: ${error.message}.`
    return new Obstacle('RpcUnreachable', message, { cause: error })
  }
  return undefined
}

/** SQLSTATE: invalid authorization (class 28) and no such database (3D000), as PostgreSQL tells them. */
const isRefusedConnection = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && /^(28|3D)[0-9A-Z]{3}$/.test(String(error.code))

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
