import { variablePrefixes } from '../../../../platform/core/caip2.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import { podSponsors } from '../../references/pod-sponsors.ts'
import { type PartName, partsOf } from './parts.ts'

export interface SecretRef {
  readonly name: string
  readonly key: string
}

export const secretId = ({ name, key }: SecretRef): string => `${name}/${key}`

/** Folder of the pods with one file per secret. */
export const SECRETS_PATH = '/etc/x402/secrets'

/** One secret as a file, and the variable that names the file. */
export interface SecretFile {
  readonly ref: SecretRef
  readonly file: string
  readonly variable: string
  /** Whether pods read it only when they start: then a new value rolls them. */
  readonly rolls: boolean
}

/** The files of the database: its URL, the URL without a pooler, and the certificate authority. */
export function databaseFiles(facilitator: Facilitator): readonly SecretFile[] {
  const { directSecretRef, caSecretRef } = facilitator.spec.database
  return [
    databaseFile(facilitator),
    ...optionalFile(directSecretRef, 'database-direct-url', 'DATABASE_DIRECT_URL_FILE'),
    ...optionalFile(caSecretRef, 'database-ca.crt', 'DATABASE_CA_FILE'),
  ]
}

const optionalFile = (
  ref: SecretRef | undefined,
  file: string,
  variable: string,
): readonly SecretFile[] => (ref ? [{ ref, file, variable, rolls: true }] : [])

function replicaFile({ spec }: Facilitator): readonly SecretFile[] {
  const ref = spec.explorer.databaseReplicaSecretRef
  return optionalFile(ref, 'explorer-database-url', 'EXPLORER_DATABASE_URL_FILE')
}

export const databaseFile = ({ spec }: Facilitator): SecretFile => ({
  ref: spec.database.secretRef,
  file: 'database-url',
  variable: 'DATABASE_URL_FILE',
  rolls: true,
})

/** The seeds that pods of this Facilitator mount for one pool. */
export const sponsorFiles = ({ spec }: Facilitator, pool: ChannelPool): readonly SecretFile[] => {
  const settings = spec.networks.find(({ channelPool }) => channelPool === pool.metadata.name)
  const { current, next, previous } = podSponsors(pool, settings?.upto !== undefined)
  const file = seedFileOf(pool.spec.network)
  return [
    file('SPONSOR_SECRET', current.secretRef),
    ...(next ? [file('NEXT_SPONSOR_SECRET', next.secretRef)] : []),
    ...(previous ? [file('PREVIOUS_SPONSOR_SECRET', previous.secretRef)] : []),
  ]
}

/** The data of a pool's RPC endpoints that must not stand in the ConfigMap: URLs with keys, and headers. */
function rpcFiles({ spec: { network, rpc } }: ChannelPool): readonly SecretFile[] {
  const prefix = variablePrefixes[network]
  const file = (variable: string, ref: SecretRef | undefined) =>
    optionalFile(ref, fileOf(`${prefix}${variable}`), `${prefix}${variable}_FILE`)
  return [...file('RPC_URL', rpc.secretRef), ...file('RPC_HEADERS', rpc.headersSecretRef)]
}

const fileOf = (variable: string): string => variable.toLowerCase().replaceAll('_', '-')

const seedVariables = ['SPONSOR_SECRET', 'NEXT_SPONSOR_SECRET', 'PREVIOUS_SPONSOR_SECRET'] as const

const seedFileOf =
  (network: ChannelPool['spec']['network']) =>
  (variable: (typeof seedVariables)[number], ref: SecretRef): SecretFile => {
    const prefix = variablePrefixes[network]
    return {
      ref,
      file: fileOf(`${prefix}${variable}`),
      variable: `${prefix}${variable}_FILE`,
      rolls: true,
    }
  }

/** The files of all seeds that pods of a network ever mount. */
export const seedFileNames = (network: ChannelPool['spec']['network']): readonly string[] =>
  seedVariables.map((variable) => seedFileOf(network)(variable, { name: '', key: '' }).file)

/** The service reads this file again while it runs: new keys need no rollout. */
function digestsFile({ spec }: Facilitator): readonly SecretFile[] {
  if (!spec.apiKeys) return []
  const ref = spec.apiKeys.digestsSecretRef
  return [{ ref, file: 'api-key-sha256', variable: 'API_KEY_SHA256_FILE', rolls: false }]
}

function embeddingsFile({ spec }: Facilitator): readonly SecretFile[] {
  const ref = spec.catalog.embeddings?.secretRef
  if (!ref) return []
  const variable = 'SEARCH_EMBEDDINGS_API_KEY_FILE'
  return [{ ref, file: 'embeddings-api-key', variable, rolls: true }]
}

/** The secrets that the pods of a part mount. Only facilitator pods sign: only they get the sponsors' seeds. */
export function secretFilesOf(
  part: PartName,
  facilitator: Facilitator,
  pools: readonly ChannelPool[],
): readonly SecretFile[] {
  const common = [...databaseFiles(facilitator), ...pools.flatMap(rpcFiles)]
  if (part === 'Explorer') return [...common, ...replicaFile(facilitator)]
  if (part === 'Catalog') return [...common, ...embeddingsFile(facilitator)]
  return [
    ...common,
    ...pools.flatMap((pool) => sponsorFiles(facilitator, pool)),
    ...digestsFile(facilitator),
  ]
}

/** The secret files of all parts of the spec. */
export const allSecretFiles = (
  facilitator: Facilitator,
  pools: readonly ChannelPool[],
): readonly SecretFile[] =>
  partsOf(facilitator).flatMap(({ name }) => secretFilesOf(name, facilitator, pools))
