import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Problem } from '../parser/config-error.ts'
import type { ParsedSettings } from '../parser/settings.ts'
import { catalogSettings } from '../rows/catalog.ts'
import { type MembersOf, membersOf, type SettingsOf } from '../rows/row.ts'

type CatalogTable = typeof catalogSettings
type Members = MembersOf<CatalogTable>

/** The catalog of paid resources and its search. */
export interface CatalogConfig extends Members {
  readonly search: Members['search'] & {
    /** Replaces the word vectors that ship with the project. */
    readonly embeddings: EmbeddingsConfig | undefined
  }
}

interface EmbeddingsConfig {
  readonly url: string
  readonly model: string
  readonly apiKey: string | undefined
}

/** Problems between these settings, and with the networks. */
export function catalogProblems(
  { settings, problems }: ParsedSettings<CatalogTable>,
  networks: readonly NetworkId[],
): Problem[] {
  const found: Problem[] = []
  if (settings.DISCOVERY_ALLOW_LOOPBACK && networks.includes('stellar:pubnet')) {
    found.push({
      variable: 'DISCOVERY_ALLOW_LOOPBACK',
      message:
        'must not be true with stellar:pubnet: any payer could make this service call servers on this machine',
    })
  }
  const { SEARCH_EMBEDDINGS_URL: url, SEARCH_EMBEDDINGS_MODEL: model } = settings
  const isUrlWrong = problems.some(({ variable }) => variable === 'SEARCH_EMBEDDINGS_URL')
  if (url !== undefined && model === undefined) {
    found.push({
      variable: 'SEARCH_EMBEDDINGS_MODEL',
      message: 'is required with SEARCH_EMBEDDINGS_URL: the name of the model',
    })
  }
  if (url === undefined && !isUrlWrong) {
    const unused = (
      [
        ['SEARCH_EMBEDDINGS_MODEL', model],
        ['SEARCH_EMBEDDINGS_API_KEY', settings.SEARCH_EMBEDDINGS_API_KEY],
      ] as const
    ).filter(([, value]) => value !== undefined)
    for (const [variable] of unused) {
      found.push({
        variable,
        message: 'is set without SEARCH_EMBEDDINGS_URL: set that, or neither',
      })
    }
  }
  return found
}

export function catalogConfig(settings: SettingsOf<CatalogTable>): CatalogConfig {
  const { SEARCH_EMBEDDINGS_URL: url, SEARCH_EMBEDDINGS_MODEL: model = '' } = settings
  const members = membersOf(catalogSettings, settings)
  const embeddings =
    url === undefined ? undefined : { url, model, apiKey: settings.SEARCH_EMBEDDINGS_API_KEY }
  return { ...members, search: { ...members.search, embeddings } }
}
