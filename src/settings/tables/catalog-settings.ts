import { z } from 'zod'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Problem } from '../parser/config-error.ts'
import type { ParsedSettings, SettingsOf } from '../parser/settings.ts'
import { boolean, integer, type Kind, optionalUrl } from '../parser/values.ts'

/** The catalog of paid resources and its search. */
export interface CatalogConfig {
  /** New listings that may be created in an hour. */
  readonly quotas: {
    readonly perOwner: number
    readonly perPayer: number
    readonly inTotal: number
  }
  /** How often a process looks for origins that are due; it also looks when something makes one due. */
  readonly originCheckIntervalMs: number
  /** Whether origins on this machine are fetched: for development only. */
  readonly allowLoopback: boolean
  readonly search: {
    /** Replaces the word vectors that ship with the project. */
    readonly embeddings: EmbeddingsConfig | undefined
    /** Signs the cursors, hex; undefined: made once and kept in the store. */
    readonly cursorSecret: string | undefined
    /** A listing that is less similar to the question is no answer by its meaning alone; cosine. */
    readonly similarityFloor: number
  }
}

interface EmbeddingsConfig {
  readonly url: string
  readonly model: string
  readonly apiKey: string | undefined
}

const MIN_SECRET_BYTES = 32
const hexSecret: Kind<string | undefined> = {
  schema: z
    .string()
    .refine((text) => /^([0-9a-fA-F]{2})+$/.test(text) && text.length >= 2 * MIN_SECRET_BYTES, {
      error: `must be at least ${MIN_SECRET_BYTES} bytes in hex: openssl rand -hex ${MIN_SECRET_BYTES} prints such`,
    })
    .optional(),
  fallback: 'made once and kept in the store',
  range: `at least ${MIN_SECRET_BYTES} bytes in hex`,
}

const optionalText: Kind<string | undefined> = {
  schema: z.string().optional(),
  fallback: 'none',
  range: '',
}

const cosine = (fallback: string): Kind<number> => ({
  schema: z
    .string()
    .default(fallback)
    .refine((text) => /^-?[01](\.\d{1,6})?$/.test(text) && Math.abs(Number(text)) <= 1, {
      error: 'must be a number from -1 to 1 with at most 6 decimals',
    })
    .transform(Number),
  fallback,
  range: 'from -1 to 1',
})

const QUOTA_MAX = 1_000_000

export const catalogSettings = {
  BAZAAR_MAX_NEW_LISTINGS_PER_OWNER_PER_HOUR: {
    help: 'New listings of one `payTo` address in an hour.',
    ...integer(0, QUOTA_MAX, 20),
  },
  BAZAAR_MAX_NEW_LISTINGS_PER_PAYER_PER_HOUR: {
    help: 'New listings from the payments of one payer in an hour.',
    ...integer(0, QUOTA_MAX, 10),
  },
  BAZAAR_MAX_NEW_LISTINGS_PER_HOUR: {
    help: 'New listings in an hour, in total.',
    ...integer(0, QUOTA_MAX, 1_000),
  },
  ORIGIN_CHECK_INTERVAL_MS: {
    help: 'How often a process looks in the store for origins to check. It checks a new listing at once, without waiting for this.',
    ...integer(100, 600_000, 5_000),
  },
  DISCOVERY_ALLOW_LOOPBACK: {
    help: 'Whether origin checks may call servers on this machine, which anyone who pays could make them do: for development only, refused with pubnet.',
    ...boolean(false),
  },
  SEARCH_EMBEDDINGS_URL: {
    help: 'Base URL of an embeddings endpoint with the API of OpenAI. It replaces the word vectors that ship with the project; while it fails, these serve.',
    ...optionalUrl,
  },
  SEARCH_EMBEDDINGS_MODEL: {
    help: 'Name of the model of that endpoint.',
    ...optionalText,
    fallback: 'required with `SEARCH_EMBEDDINGS_URL`',
  },
  SEARCH_EMBEDDINGS_API_KEY: {
    help: 'API key of that endpoint.',
    secret: true,
    ...optionalText,
  },
  SEARCH_CURSOR_SECRET: {
    help: 'Signs the cursors of searches, so that every replica accepts those of the others.',
    secret: true,
    ...hexSecret,
  },
  SEARCH_SIMILARITY_FLOOR: {
    help: 'With `SEARCH_EMBEDDINGS_URL`: a listing whose cosine similarity to the question is lower is found by its words only.',
    ...cosine('0.3'),
  },
}
type CatalogTable = typeof catalogSettings

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
  return {
    quotas: {
      perOwner: settings.BAZAAR_MAX_NEW_LISTINGS_PER_OWNER_PER_HOUR,
      perPayer: settings.BAZAAR_MAX_NEW_LISTINGS_PER_PAYER_PER_HOUR,
      inTotal: settings.BAZAAR_MAX_NEW_LISTINGS_PER_HOUR,
    },
    originCheckIntervalMs: settings.ORIGIN_CHECK_INTERVAL_MS,
    allowLoopback: settings.DISCOVERY_ALLOW_LOOPBACK,
    search: {
      embeddings:
        url === undefined ? undefined : { url, model, apiKey: settings.SEARCH_EMBEDDINGS_API_KEY },
      cursorSecret: settings.SEARCH_CURSOR_SECRET,
      similarityFloor: settings.SEARCH_SIMILARITY_FLOOR,
    },
  }
}
