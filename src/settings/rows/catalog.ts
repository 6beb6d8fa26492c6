import { z } from 'zod'
import { boolean, integer, optionalUrl } from './kinds.ts'
import { type Kind, settingsTable } from './row.ts'

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

export const catalogSettings = settingsTable({
  BAZAAR_MAX_NEW_LISTINGS_PER_OWNER_PER_HOUR: {
    member: 'quotas.perOwner',
    help: 'New listings of one `payTo` address in an hour.',
    crd: {
      path: 'catalog.quotas.newListingsPerOwnerPerHour',
      description: 'New listings of one payTo address in an hour.',
    },
    ...integer(0, QUOTA_MAX, 20),
  },
  BAZAAR_MAX_NEW_LISTINGS_PER_PAYER_PER_HOUR: {
    member: 'quotas.perPayer',
    help: 'New listings from the payments of one payer in an hour.',
    crd: {
      path: 'catalog.quotas.newListingsPerPayerPerHour',
      description: 'New listings from payments of one payer in an hour.',
    },
    ...integer(0, QUOTA_MAX, 10),
  },
  BAZAAR_MAX_NEW_LISTINGS_PER_HOUR: {
    member: 'quotas.inTotal',
    help: 'New listings in an hour, in total.',
    crd: { path: 'catalog.quotas.newListingsPerHour' },
    ...integer(0, QUOTA_MAX, 1_000),
  },
  ORIGIN_CHECK_INTERVAL_MS: {
    help: 'How often a process looks in the store for origins to check. It checks a new listing at once, without waiting for this.',
    ...integer(100, 600_000, 5_000),
  },
  DISCOVERY_ALLOW_LOOPBACK: {
    member: 'allowLoopback',
    help: 'Whether origin checks may call servers on this machine: for development only, since any payer can cause such a call; refused with pubnet.',
    ...boolean(false),
  },
  SEARCH_EMBEDDINGS_URL: {
    member: false,
    help: 'Base URL of an embeddings endpoint with the API of OpenAI. It replaces the word vectors that ship with the project; while it fails, these serve.',
    crd: {
      path: 'catalog.embeddings.url',
      presence: 'required',
      description: 'Base address of an embeddings endpoint with the API of OpenAI.',
    },
    ...optionalUrl,
  },
  SEARCH_EMBEDDINGS_MODEL: {
    member: false,
    help: 'Name of the model of that endpoint.',
    crd: {
      path: 'catalog.embeddings.model',
      type: z.string().min(1).max(128),
      description: 'Name of the model.',
    },
    ...optionalText,
    fallback: 'required with `SEARCH_EMBEDDINGS_URL`',
  },
  SEARCH_EMBEDDINGS_API_KEY: {
    member: false,
    help: 'API key of that endpoint.',
    secret: true,
    ...optionalText,
  },
  SEARCH_CURSOR_SECRET: {
    member: 'search.cursorSecret',
    help: 'Signs the cursors of searches, so that every replica accepts those of the others.',
    secret: true,
    ...hexSecret,
  },
  SEARCH_SIMILARITY_FLOOR: {
    member: 'search.similarityFloor',
    help: 'With `SEARCH_EMBEDDINGS_URL`: a listing whose cosine similarity to the question is lower is found by its words only.',
    ...cosine('0.3'),
  },
})
