import type { FacilitatorReason } from '../../api/facilitator-conditions.ts'
import { firstMatch } from '../../core/first-match.ts'
import { isPostgresUrl } from '../../core/postgres-url.ts'
import { partsOf } from './parts.ts'
import { type SecretFile, secretFilesOf } from './secret-files.ts'
import type { FacilitatorView } from './view.ts'
import { type SecretRef, secretId } from './wanted.ts'

/** What keeps the children from being rendered at all. What runs goes on as it is. */
export interface Blocker {
  readonly reason: FacilitatorReason
  /** What is wrong and what to do, in one sentence. */
  readonly message: string
  /** Whether payments on every network of the spec cannot work, even if pods run. */
  readonly stopsPayments: boolean
}

type Check = (view: FacilitatorView) => Blocker | undefined

const stops = (reason: FacilitatorReason, message: string): Blocker => ({
  reason,
  message,
  stopsPayments: true,
})
const holds = (reason: FacilitatorReason, message: string): Blocker => ({
  reason,
  message,
  stopsPayments: false,
})

const poolsAreThere: Check = ({ facilitator, pools }) => {
  const missing = facilitator.spec.networks.find(({ channelPool }) => !pools.has(channelPool))
  if (!missing) return undefined
  const message = `There is no ChannelPool ${missing.channelPool} in this namespace: create it.`
  return stops('PoolMissing', message)
}

const networksDiffer: Check = ({ pools }) => {
  const [one, other] = [...pools.values()]
  if (!one || !other || one.spec.network !== other.spec.network) return undefined
  const names = `${one.metadata.name} and ${other.metadata.name}`
  const message = `ChannelPools ${names} are both of ${one.spec.network}: keep one of them.`
  return stops('NetworkTwice', message)
}

/** On the public network an open facilitator spends real money for anybody: it has to be meant. */
const keysAreDecided: Check = ({ facilitator, pools }) => {
  const open = facilitator.spec.networks.find(
    ({ channelPool, requireApiKey }) =>
      requireApiKey === undefined && pools.get(channelPool)?.spec.network === 'stellar:pubnet',
  )
  if (!open) return undefined
  const message = `ChannelPool ${open.channelPool} is of stellar:pubnet: set requireApiKey of that network, to true or to false.`
  return stops('ApiKeyUndecided', message)
}

const imageIsNamed: Check = ({ image }) =>
  image ? undefined : holds('ImageMissing', 'The operator has no image of its own: set spec.image.')

const there = ({ name, key }: SecretRef): string => `Secret ${name}, key ${key}`

const databaseIsThere: Check = ({ facilitator, secrets }) => {
  const ref = facilitator.spec.databaseSecretRef
  const url = secrets.get(secretId(ref))
  if (url === undefined) {
    return holds('DatabaseSecretMissing', `There is no ${there(ref)}: create it.`)
  }
  if (isPostgresUrl(url)) return undefined
  return holds('DatabaseSecretInvalid', `${there(ref)} holds no postgres:// URL.`)
}

/** Reasons of the secrets that parts mount beside the database. */
const missing: Readonly<Record<string, FacilitatorReason>> = {
  API_KEY_SHA256_FILE: 'ApiKeysSecretMissing',
  SEARCH_EMBEDDINGS_API_KEY_FILE: 'EmbeddingsSecretMissing',
}

const secretsAreThere: Check = (view) => {
  const absent = mounted(view).find(({ ref }) => !view.secrets.has(secretId(ref)))
  if (!absent) return undefined
  const reason = missing[absent.variable] ?? 'PoolNotReady'
  const whose = reason === 'PoolNotReady' ? ', the seed of a sponsor' : ''
  return holds(reason, `There is no ${there(absent.ref)}${whose}: create it.`)
}

export const mounted = ({
  facilitator,
  pools,
}: Pick<FacilitatorView, 'facilitator' | 'pools'>): readonly SecretFile[] =>
  partsOf(facilitator).flatMap(({ name }) => secretFilesOf(name, facilitator, [...pools.values()]))

const digestsAreDigests: Check = ({ facilitator, secrets }) => {
  const ref = facilitator.spec.apiKeys?.digestsSecretRef
  if (!ref) return undefined
  const digests = (secrets.get(secretId(ref)) ?? '').split(/[\s,]+/).filter((each) => each !== '')
  const isDigest = (text: string) => /^[0-9a-fA-F]{64}$/.test(text)
  if (digests.length > 0 && digests.every(isDigest)) return undefined
  const message = `${there(ref)} holds something that is no SHA-256 digest: put in what svc keys new prints as sha256.`
  return holds('ApiKeysSecretInvalid', message)
}

/** The channels of a pool are in its database: in another one pods would find none. */
const storesAreOne: Check = ({ facilitator, pools, secrets }) => {
  const own = placeOf(secrets.get(secretId(facilitator.spec.databaseSecretRef)))
  const other = [...pools.values()].find(({ spec }) => {
    const place = placeOf(secrets.get(secretId(spec.databaseSecretRef)))
    return place !== undefined && place !== own
  })
  if (!other) return undefined
  const message = `ChannelPool ${other.metadata.name} uses another database than this Facilitator: name the same one in both.`
  return stops('StoreMismatch', message)
}

/** Where a database is, whoever connects to it; undefined for what is no address. */
function placeOf(url: string | undefined): string | undefined {
  if (url === undefined || !isPostgresUrl(url)) return undefined
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}:${port || 5_432}${pathname}`
}

/** Order matters: the first finding is the one that is told. */
const checks: readonly Check[] = [
  poolsAreThere,
  networksDiffer,
  keysAreDecided,
  imageIsNamed,
  databaseIsThere,
  secretsAreThere,
  digestsAreDigests,
  storesAreOne,
]

export const blockerOf = (view: FacilitatorView): Blocker | undefined =>
  firstMatch(checks, (check) => check(view))
