import { describe, expect, test } from 'vitest'
import { loadCatalogConfig } from '../../../src/settings/catalog.ts'
import { loadFacilitatorConfig } from '../../../src/settings/facilitator.ts'
import { ConfigError } from '../../../src/settings/parser/config-error.ts'
import type { Variables } from '../../../src/settings/parser/environment.ts'
import { load, problemsOf as problemsOfServe, pubnet, SECRET } from './serve-environment.ts'

const CURSOR_SECRET = 'ab'.repeat(32)

const env = (changes: Variables = {}): Variables => ({
  DATABASE_URL: 'postgres://svc:password@localhost/svc',
  TESTNET_RPC_URL: 'https://rpc.example',
  ...changes,
})

const loadCatalog = (changes?: Variables) =>
  loadCatalogConfig(env(changes), (path) => {
    if (path === '/run/embeddings') return 'sk-from-file\n'
    throw Object.assign(new Error('no'), { code: 'ENOENT' })
  })

function problemsOf(changes: Variables): string[] {
  try {
    loadCatalog(changes)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ variable, message }) => `${variable} ${message}`)
  }
}

describe('the configuration of the catalog', () => {
  test('needs the store and the RPC endpoints, and no secret of a sponsor', () => {
    expect(loadCatalog()).toMatchObject({
      port: 8_080,
      adminPort: 9_090,
      networks: [{ id: 'stellar:testnet', rpcUrls: ['https://rpc.example'] }],
      catalog: { quotas: { perOwner: 20, perPayer: 10, inTotal: 1_000 } },
    })
    expect(JSON.stringify(loadCatalog({ TESTNET_SPONSOR_SECRET: SECRET }))).not.toContain(SECRET)
  })

  test('reads every setting of the catalog', () => {
    const { catalog } = loadCatalog({
      BAZAAR_MAX_NEW_LISTINGS_PER_OWNER_PER_HOUR: '1',
      BAZAAR_MAX_NEW_LISTINGS_PER_PAYER_PER_HOUR: '2',
      BAZAAR_MAX_NEW_LISTINGS_PER_HOUR: '3',
      ORIGIN_CHECK_INTERVAL_MS: '200',
      DISCOVERY_ALLOW_LOOPBACK: 'true',
      SEARCH_EMBEDDINGS_URL: 'https://embeddings.example/v1',
      SEARCH_EMBEDDINGS_MODEL: 'small',
      SEARCH_EMBEDDINGS_API_KEY_FILE: '/run/embeddings',
      SEARCH_CURSOR_SECRET: CURSOR_SECRET,
      SEARCH_SIMILARITY_FLOOR: '-0.25',
    })

    expect(catalog).toEqual({
      quotas: { perOwner: 1, perPayer: 2, inTotal: 3 },
      originCheckIntervalMs: 200,
      allowLoopback: true,
      search: {
        embeddings: {
          url: 'https://embeddings.example/v1',
          model: 'small',
          apiKey: 'sk-from-file',
        },
        cursorSecret: CURSOR_SECRET,
        similarityFloor: -0.25,
      },
    })
  })

  test.each<[Variables, string]>([
    [{ STORE: 'memory', DATABASE_URL: '' }, 'STORE must be postgres'],
    [{ TESTNET_RPC_URL: '' }, 'TESTNET_RPC_URL is required'],
    [{ TESTNET_RPC_URL: 'http://rpc.example' }, 'TESTNET_RPC_URL must be https'],
    [{ PORT: '9000', ADMIN_PORT: '9000' }, 'ADMIN_PORT must differ from PORT'],
    [{ SEARCH_CURSOR_SECRET: 'abcd' }, 'SEARCH_CURSOR_SECRET must be at least 32 bytes in hex'],
    [{ SEARCH_SIMILARITY_FLOOR: '1.5' }, 'SEARCH_SIMILARITY_FLOOR must be a number from -1 to 1'],
    [{ SEARCH_EMBEDDINGS_URL: 'https://e.example' }, 'SEARCH_EMBEDDINGS_MODEL is required'],
    [{ SEARCH_EMBEDDINGS_MODEL: 'm' }, 'SEARCH_EMBEDDINGS_MODEL is set without'],
    [{ BAZAAR_MAX_NEW_LISTINGS_PER_HOUR: 'many' }, 'BAZAAR_MAX_NEW_LISTINGS_PER_HOUR must be'],
  ])('refuses %o', (changes, sentence) => {
    expect(problemsOf(changes)).toEqual([expect.stringContaining(sentence)])
  })

  test('refuses calls to this machine with pubnet', () => {
    const sentence = 'DISCOVERY_ALLOW_LOOPBACK must not be true with stellar:pubnet'

    expect(problemsOf({ ...pubnet, DISCOVERY_ALLOW_LOOPBACK: 'true' })).toEqual([
      expect.stringContaining(sentence),
    ])
    expect(problemsOfServe({ ...pubnet, DISCOVERY_ALLOW_LOOPBACK: 'true' })).toEqual([
      expect.stringContaining(sentence),
    ])
  })

  test('is absent from the services that do not list', () => {
    expect(load({ BAZAAR_ENABLED: 'false' }).catalog).toBeUndefined()
    expect(
      loadFacilitatorConfig({ ...env({ TESTNET_SPONSOR_SECRET: SECRET, BAZAAR_ENABLED: 'false' }) })
        .catalog,
    ).toBeUndefined()
  })
})
