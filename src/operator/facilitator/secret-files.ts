import type { ChannelPool } from '../../api/channel-pool.ts'
import type { Facilitator } from '../../api/facilitator.ts'
import { variablePrefixes } from '../../core/caip2.ts'
import type { PartName } from './parts.ts'
import type { SecretRef } from './wanted.ts'

/** Where pods find their secrets, each in a file of its own. */
export const SECRETS_PATH = '/etc/x402/secrets'

/** One secret as a file, and the variable that names the file. */
export interface SecretFile {
  readonly ref: SecretRef
  readonly file: string
  readonly variable: string
  /** Whether pods take a new content only when they start: then a change of it rolls them. */
  readonly rolls: boolean
}

export const databaseFile = ({ spec }: Facilitator): SecretFile => ({
  ref: spec.databaseSecretRef,
  file: 'database-url',
  variable: 'DATABASE_URL_FILE',
  rolls: true,
})

function sponsorFile({ spec }: ChannelPool): SecretFile {
  const prefix = variablePrefixes[spec.network]
  return {
    ref: spec.sponsorSecretRef,
    file: `${prefix.toLowerCase().replace('_', '-')}sponsor-secret`,
    variable: `${prefix}SPONSOR_SECRET_FILE`,
    rolls: true,
  }
}

/** The service reads this one again while it runs, so that keys come and go without a rollout. */
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

/** What the pods of a part mount. Only facilitator pods sign, so only they get the sponsors' seeds. */
export function secretFilesOf(
  part: PartName,
  facilitator: Facilitator,
  pools: readonly ChannelPool[],
): readonly SecretFile[] {
  const database = databaseFile(facilitator)
  if (part === 'Explorer') return [database]
  if (part === 'Catalog') return [database, ...embeddingsFile(facilitator)]
  return [database, ...pools.map(sponsorFile), ...digestsFile(facilitator)]
}
