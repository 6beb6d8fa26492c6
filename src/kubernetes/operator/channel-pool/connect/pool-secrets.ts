import { hintFor, isPostgresUrl, urlOfOthers } from '../../../../platform/core/postgres-url.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { RpcEndpoints } from '../../references/pool-rpc.ts'
import type { SponsorSource } from '../../references/sponsor-source.ts'
import {
  MAX_CA_LENGTH,
  MAX_URL_LENGTH,
  TOO_LONG_CA,
  TOO_LONG_URL,
} from '../../store-access/store-key.ts'
import type { SecretReader } from '../../watches/secrets.ts'
import { PoolBlocked } from './blockers.ts'
import { readEndpoints } from './rpc.ts'
import { readSponsorValues, type SponsorValues } from './sponsor-values.ts'

/** The values of the Secrets of a pool, of one of its sponsors. */
export interface PoolSecrets {
  readonly sponsor: SponsorValues
  readonly databaseUrl: string
  /** PEM; undefined when the spec names none. */
  readonly ca: string | undefined
  readonly endpoints: RpcEndpoints
}

const missing: ReadonlySet<PoolBlocked['reason']> = new Set([
  'SponsorSecretMissing',
  'SignerSecretMissing',
  'DatabaseSecretMissing',
  'RpcSecretMissing',
])

export const isMissingSecret = (error: unknown): boolean =>
  error instanceof PoolBlocked && missing.has(error.reason)

/** Throws `PoolBlocked` for what is missing or wrong, and KubeErrors. */
export async function readPoolSecrets(
  secrets: SecretReader,
  pool: ChannelPool,
  source: SponsorSource,
  signal: AbortSignal,
): Promise<PoolSecrets> {
  const { spec } = pool
  const { namespace } = pool.metadata
  const sponsor = await readSponsorValues(secrets, { namespace, source }, signal)
  const databaseUrl = await secrets.read({ namespace, ...spec.database.secretRef }, signal)
  const databaseRef = `Secret ${spec.database.secretRef.name}, key ${spec.database.secretRef.key}`
  if (databaseUrl === undefined) {
    throw new PoolBlocked('DatabaseSecretMissing', `There is no ${databaseRef}: create it.`)
  }
  if (databaseUrl.length > MAX_URL_LENGTH) {
    throw new PoolBlocked('DatabaseSecretInvalid', `${databaseRef} ${TOO_LONG_URL}.`)
  }
  if (!isPostgresUrl(databaseUrl)) {
    throw new PoolBlocked(
      'DatabaseSecretInvalid',
      `${databaseRef} holds no postgres:// URL${hintFor(databaseUrl)}.`,
    )
  }
  const { caSecretRef } = spec.database
  const allowed = urlOfOthers(databaseUrl, { hasCa: caSecretRef !== undefined })
  if ('refused' in allowed) {
    throw new PoolBlocked('DatabaseSecretInvalid', `${databaseRef} holds a URL${allowed.refused}.`)
  }
  const ca = caSecretRef && (await secrets.read({ namespace, ...caSecretRef }, signal))
  if (caSecretRef && ca === undefined) {
    const message = `There is no Secret ${caSecretRef.name}, key ${caSecretRef.key}, with the certificate authority of the database: create it.`
    throw new PoolBlocked('DatabaseSecretMissing', message)
  }
  if (caSecretRef && ca !== undefined && ca.length > MAX_CA_LENGTH) {
    const caRef = `Secret ${caSecretRef.name}, key ${caSecretRef.key}`
    throw new PoolBlocked('DatabaseSecretInvalid', `${caRef} ${TOO_LONG_CA}.`)
  }
  const endpoints = await readEndpoints(secrets, pool, signal)
  return { sponsor, databaseUrl: allowed.url, ca, endpoints }
}
