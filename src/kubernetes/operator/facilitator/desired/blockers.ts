import { parseApiKeys } from '../../../../platform/core/api-key-entry.ts'
import { firstMatch } from '../../../../platform/core/language/first-match.ts'
import { hintFor, isPostgresUrl } from '../../../../platform/core/postgres-url.ts'
import type { FacilitatorReason } from '../../../crd/facilitator/conditions.ts'
import { rpcEndpoints } from '../../references/pool-rpc.ts'
import {
  MAX_CA_LENGTH,
  MAX_URL_LENGTH,
  TOO_LONG_CA,
  TOO_LONG_URL,
} from '../../store-access/store-key.ts'
import type { ObservedFacilitator } from '../observe/observe.ts'
import { fieldNames } from '../spec/field-names.ts'
import { allSecretFiles, type SecretRef, secretId } from '../spec/secret-files.ts'
import type { Blocker } from './blocker.ts'
import { specBlockerOf } from './spec-blockers.ts'

export type { Blocker } from './blocker.ts'

type BlockerCheck = (observed: ObservedFacilitator) => Blocker | undefined

const blocked = (reason: FacilitatorReason, message: string): Blocker => ({ reason, message })

const poolsExist: BlockerCheck = ({ facilitator, pools }) => {
  const missing = facilitator.spec.networks.find(({ channelPool }) => !pools.has(channelPool))
  if (!missing) return undefined
  const message = `There is no ChannelPool ${missing.channelPool} in this namespace: create it.`
  return blocked('PoolMissing', message)
}

const networksDiffer: BlockerCheck = ({ pools }) => {
  const [one, other] = [...pools.values()]
  if (!one || !other || one.spec.network !== other.spec.network) return undefined
  const names = `${one.metadata.name} and ${other.metadata.name}`
  const message = `ChannelPools ${names} are both of ${one.spec.network}: keep one of them.`
  return blocked('NetworkTwice', message)
}

/** On the public network a facilitator without API keys spends real money for every caller: the spec must say so. */
const apiKeysAreDecided: BlockerCheck = ({ facilitator, pools }) => {
  const open = facilitator.spec.networks.find(
    ({ channelPool, access }) =>
      access === undefined && pools.get(channelPool)?.spec.network === 'stellar:pubnet',
  )
  if (!open) return undefined
  const message = `ChannelPool ${open.channelPool} is of stellar:pubnet: set access of that network, to ApiKeys or to Everyone.`
  return blocked('ApiKeyUndecided', message)
}

const imageIsNamed: BlockerCheck = ({ image }) =>
  image
    ? undefined
    : blocked('ImageMissing', 'The operator has no image of its own: set spec.image.')

const nameOf = ({ name, key }: SecretRef): string => `Secret ${name}, key ${key}`

const databaseSecretIsValid: BlockerCheck = ({ facilitator, secrets }) => {
  const ref = facilitator.spec.database.secretRef
  const url = secrets.get(secretId(ref))
  if (url === undefined) {
    return blocked('DatabaseSecretMissing', `There is no ${nameOf(ref)}: create it.`)
  }
  const invalid = (text: string) => blocked('DatabaseSecretInvalid', text)
  if (url.length > MAX_URL_LENGTH) return invalid(`${nameOf(ref)} ${TOO_LONG_URL}.`)
  if (!isPostgresUrl(url)) {
    return invalid(`${nameOf(ref)} holds no postgres:// URL${hintFor(url)}.`)
  }
  const { caSecretRef } = facilitator.spec.database
  const isLongCa = caSecretRef && (secrets.get(secretId(caSecretRef)) ?? '').length > MAX_CA_LENGTH
  return isLongCa ? invalid(`${nameOf(caSecretRef)} ${TOO_LONG_CA}.`) : undefined
}

/** The reason for each missing file, by its variable; any other file is the seed of a sponsor. */
const missingReasons: Readonly<Record<string, FacilitatorReason>> = {
  API_KEY_SHA256_FILE: 'ApiKeysSecretMissing',
  DATABASE_CA_FILE: 'DatabaseSecretMissing',
  DATABASE_DIRECT_URL_FILE: 'DatabaseSecretMissing',
  EXPLORER_DATABASE_URL_FILE: 'DatabaseSecretMissing',
  SEARCH_EMBEDDINGS_API_KEY_FILE: 'EmbeddingsSecretMissing',
}

const secretsExist: BlockerCheck = ({ facilitator, pools, secrets }) => {
  const files = allSecretFiles(facilitator, [...pools.values()])
  const absent = files.find(({ ref }) => !secrets.has(secretId(ref)))
  if (!absent) return undefined
  const { ref, variable = '', missing } = absent
  if (missing) return blocked(missing.reason, `There is no ${nameOf(ref)}, ${missing.todo}.`)
  const reason = missingReasons[variable] ?? 'PoolNotReady'
  const field = fieldNames(facilitator, pools).get(variable.replace(/_FILE$/, ''))
  const whose =
    field === undefined
      ? 'the seed of a sponsor'
      : `which ${field.replace('the URL of ', '')} names`
  return blocked(reason, `There is no ${nameOf(ref)}, ${whose}: create it.`)
}

const endpointsAreValid: BlockerCheck = ({ pools, secrets }) => {
  for (const pool of pools.values()) {
    const endpoints = rpcEndpoints(pool, (ref) => secrets.get(secretId(ref)))
    if ('reason' in endpoints) return blocked(endpoints.reason, endpoints.message)
  }
  return undefined
}

const digestsAreValid: BlockerCheck = ({ facilitator, secrets }) => {
  const ref = facilitator.spec.apiKeys?.digestsSecretRef
  if (!ref) return undefined
  const parsed = parseApiKeys(secrets.get(secretId(ref)) ?? '')
  if (parsed.ok && parsed.entries.length > 0) return undefined
  const holds = parsed.ok
    ? 'is empty, so that no API key is accepted: add'
    : `holds other text than digests (${parsed.problem}): use`
  const message = `${nameOf(ref)} ${holds} the entry that svc keys new prints.`
  return blocked('ApiKeysSecretInvalid', message)
}

/** The channels of a pool are in its database: in another one the pods would find none. */
const storesAreSame: BlockerCheck = ({ facilitator, pools, secrets }) => {
  const own = addressOf(secrets.get(secretId(facilitator.spec.database.secretRef)))
  const other = [...pools.values()].find(({ spec }) => {
    const address = addressOf(secrets.get(secretId(spec.database.secretRef)))
    return address !== undefined && address !== own
  })
  if (!other) return undefined
  const message = `ChannelPool ${other.metadata.name} uses another database than this Facilitator: name the same one in both.`
  return blocked('StoreMismatch', message)
}

/** Host, port and database, without user and password; undefined for an invalid URL. */
function addressOf(url: string | undefined): string | undefined {
  if (url === undefined || !isPostgresUrl(url)) return undefined
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}:${port || 5_432}${pathname}`
}

/** First match wins. */
const checks: readonly BlockerCheck[] = [
  poolsExist,
  networksDiffer,
  apiKeysAreDecided,
  specBlockerOf,
  imageIsNamed,
  databaseSecretIsValid,
  endpointsAreValid,
  secretsExist,
  digestsAreValid,
  storesAreSame,
]

export const blockerOf = (observed: ObservedFacilitator): Blocker | undefined =>
  firstMatch(checks, (check) => check(observed))
