import { Asset, Networks } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import { loadExplorerConfig } from '../../../src/settings/explorer.ts'
import { loadFacilitatorConfig } from '../../../src/settings/facilitator.ts'
import { ConfigError } from '../../../src/settings/parser/config-error.ts'
import type { Variables } from '../../../src/settings/parser/environment.ts'
import { ASSET, load, problemsOf as problemsOfServe, pubnet, SECRET } from './serve-environment.ts'

const OTHER_CONTRACT = usdcContracts['stellar:testnet']
const EURC_ISSUER = 'GDHU6WRG4IEQXM5NZ4BMPKOXHW76MZM4Y2IEMFDVXBSDP6SJY4ITNPP2'

const env = (changes: Variables = {}): Variables => ({
  DATABASE_URL: 'postgres://svc:password@localhost/svc',
  TESTNET_RPC_URL: 'https://rpc.example',
  ...changes,
})

const loadExplorer = (changes?: Variables) =>
  loadExplorerConfig(env(changes), (path) => {
    if (path === '/run/replica') return 'postgres://svc@replica/svc\n'
    throw Object.assign(new Error('no'), { code: 'ENOENT' })
  })

function problemsOf(changes: Variables): string[] {
  try {
    loadExplorer(changes)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ variable, message }) => `${variable} ${message}`)
  }
}

describe('the configuration of the explorer', () => {
  test('needs the store and the RPC endpoints, and no secret of a sponsor', () => {
    expect(loadExplorer()).toMatchObject({
      adminPort: 9_090,
      explorer: {
        port: 8_081,
        readUrl: undefined,
        rateLimitPerMinute: 600,
        readPoolSize: 5,
        registry: [],
        allowLoopback: false,
        retentionDays: undefined,
        backfillLedgers: undefined,
        networks: [
          {
            id: 'stellar:testnet',
            rpcUrls: ['https://rpc.example'],
            watchedSacs: 'all',
            uptoContracts: [],
          },
        ],
      },
    })
    expect(JSON.stringify(loadExplorer({ TESTNET_SPONSOR_SECRET: SECRET }))).not.toContain(SECRET)
  })

  test('reads every setting', () => {
    const settings = {
      EXPLORER_PORT: '0',
      EXPLORER_DATABASE_URL_FILE: '/run/replica',
      EXPLORER_DATABASE_POOL_SIZE: '2',
      FACILITATOR_REGISTRY: 'https://one.example, http://two.example:8080/x402',
      EXPLORER_ALLOW_LOOPBACK: 'true',
      EXPLORER_RETENTION_DAYS: '90',
      EXPLORER_BACKFILL_LEDGERS: '0',
      WATCHED_SACS: `${ASSET},${ASSET}`,
      TESTNET_UPTO_CONTRACT: ASSET,
      TESTNET_OTHER_UPTO_CONTRACTS: `${OTHER_CONTRACT}, ${ASSET}`,
    }
    expect(loadExplorer(settings).explorer).toEqual({
      port: 0,
      readUrl: 'postgres://svc@replica/svc',
      rateLimitPerMinute: 600,
      readPoolSize: 2,
      registry: ['https://one.example', 'http://two.example:8080/x402'],
      allowLoopback: true,
      retentionDays: 90,
      backfillLedgers: 0,
      networks: [
        {
          id: 'stellar:testnet',
          rpcUrls: ['https://rpc.example'],
          rpcHeaders: [],
          watchedSacs: [ASSET],
          uptoContracts: [ASSET, OTHER_CONTRACT],
        },
      ],
    })
  })

  test('watches USDC and EURC on pubnet unless told otherwise', () => {
    const eurc = new Asset('EURC', EURC_ISSUER).contractId(Networks.PUBLIC)
    const sacsOf = (changes: Variables) =>
      load({ ...pubnet, ...changes }).explorer?.networks.map(({ watchedSacs }) => watchedSacs)

    expect(sacsOf({})).toEqual(['all', [usdcContracts['stellar:pubnet'], eurc]])
    expect(sacsOf({ PUBNET_WATCHED_SACS: 'all' })).toEqual(['all', 'all'])
    expect(sacsOf({ WATCHED_SACS: ASSET, TESTNET_WATCHED_SACS: 'all' })).toEqual(['all', [ASSET]])
  })

  test.each<[Variables, string]>([
    [{ STORE: 'memory', DATABASE_URL: '' }, 'STORE must be postgres'],
    [{ TESTNET_RPC_URL: '' }, 'TESTNET_RPC_URL is required'],
    [{ TESTNET_RPC_URL: 'http://rpc.example' }, 'TESTNET_RPC_URL must be https'],
    [{ EXPLORER_PORT: '9090' }, 'EXPLORER_PORT must differ from ADMIN_PORT (9090)'],
    [
      { EXPLORER_DATABASE_URL: 'mysql://x' },
      'EXPLORER_DATABASE_URL must be a URL that starts with',
    ],
    [{ FACILITATOR_REGISTRY: 'other.example' }, 'FACILITATOR_REGISTRY must be one or more http(s)'],
    [{ WATCHED_SACS: 'USDC' }, 'WATCHED_SACS must be all, or one or more contract addresses'],
    [{ TESTNET_UPTO_CONTRACT: 'G' }, 'TESTNET_UPTO_CONTRACT must be a contract address (C...)'],
    [
      { TESTNET_UPTO_CONTRACT: `${ASSET},${OTHER_CONTRACT}` },
      'TESTNET_UPTO_CONTRACT must be one contract address (C...): name others in OTHER_UPTO_CONTRACTS',
    ],
    [
      { TESTNET_OTHER_UPTO_CONTRACTS: 'G' },
      'TESTNET_OTHER_UPTO_CONTRACTS must be one or more contract addresses',
    ],
    [{ EXPLORER_RETENTION_DAYS: '30' }, 'EXPLORER_RETENTION_DAYS must be a whole number from 31'],
    [
      { ...pubnet, EXPLORER_ALLOW_LOOPBACK: 'true' },
      'EXPLORER_ALLOW_LOOPBACK must not be true with stellar:pubnet',
    ],
  ])('refuses %o', (changes, sentence) => {
    expect(problemsOf(changes)).toEqual([expect.stringContaining(sentence)])
  })

  test('is on in svc serve unless switched off, with ports that differ, and off in svc facilitator', () => {
    expect(load().explorer).toMatchObject({ port: 8_081, networks: [{ watchedSacs: 'all' }] })
    expect(load({ EXPLORER_ENABLED: 'false', PORT: '8081' }).explorer).toBeUndefined()
    expect(problemsOfServe({ PORT: '8081' })).toEqual([
      'EXPLORER_PORT must differ from PORT (8081)',
    ])
    expect(problemsOfServe({ STORE: 'memory', EXPLORER_DATABASE_URL: 'postgres://r/svc' })).toEqual(
      ['EXPLORER_DATABASE_URL is set with STORE=memory, which has no replica: unset it'],
    )
    const facilitator = loadFacilitatorConfig({
      ...env({ PORT: '8081' }),
      TESTNET_SPONSOR_SECRET: SECRET,
    })
    expect(facilitator.explorer).toBeUndefined()
  })
})
