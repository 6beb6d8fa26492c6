import { variablePrefixes } from '../../../../platform/core/caip2.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import { type PartName, partsOf } from './parts.ts'
import type { PodToken, SecretFile, SecretRef } from './secret-file.ts'
import { sponsorFiles, sponsorTokens } from './sponsor-files.ts'

export {
  type PodToken,
  SECRETS_PATH,
  type SecretFile,
  type SecretRef,
  secretId,
} from './secret-file.ts'

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

/** The data of a pool's RPC endpoints that must not stand in the ConfigMap: URLs with keys, and headers. */
function rpcFiles({ spec: { network, rpc } }: ChannelPool): readonly SecretFile[] {
  const prefix = variablePrefixes[network]
  const file = (variable: string, ref: SecretRef | undefined) =>
    optionalFile(ref, fileOf(`${prefix}${variable}`), `${prefix}${variable}_FILE`)
  return [...file('RPC_URL', rpc.secretRef), ...file('RPC_HEADERS', rpc.headersSecretRef)]
}

const fileOf = (variable: string): string => variable.toLowerCase().replaceAll('_', '-')

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

/** The tokens of the service account that the pods of a part mount: only facilitator pods sign. */
export const tokensOf = (
  part: PartName,
  facilitator: Facilitator,
  pools: readonly ChannelPool[],
): readonly PodToken[] =>
  part === 'Facilitator' ? pools.flatMap((pool) => sponsorTokens(facilitator, pool)) : []

/** The secret files of all parts of the spec. */
export const allSecretFiles = (
  facilitator: Facilitator,
  pools: readonly ChannelPool[],
): readonly SecretFile[] =>
  partsOf(facilitator).flatMap(({ name }) => secretFilesOf(name, facilitator, pools))
