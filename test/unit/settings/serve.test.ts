import { describe, expect, test } from 'vitest'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import { ConfigError } from '../../../src/settings/parser/config-error.ts'
import type { Variables } from '../../../src/settings/parser/environment.ts'
import {
  ASSET,
  DIGEST,
  load,
  OTHER_DIGEST,
  OTHER_SECRET,
  problemsOf,
  pubnet,
  SECRET,
} from './serve-environment.ts'

describe('the configuration of serve', () => {
  // A setting has one line here at most: its default is in its row, and in docs/configuration.md.
  test('has the documented defaults', () => {
    expect(load()).toMatchObject({
      host: '::',
      port: 8080,
      adminPort: 9090,
      bodyLimitBytes: 131_072,
      rateLimitPerMinute: 600,
      rateLimitPerKeyPerMinute: 6_000,
      trustedProxyHops: 0,
      apiKeys: { entries: [] },
      shutdownGraceMs: 30_000,
      shutdownKeepAliveMs: 0,
      reconcileIntervalMs: 5_000,
      serviceFee: 0n,
      logLevel: 'info',
      tracesEndpoint: undefined,
      version: 'dev',
      store: {
        kind: 'postgres',
        url: 'postgres://svc:password@localhost/svc',
        poolSize: 10,
        statementTimeoutMs: 10_000,
      },
      catalog: {
        quotas: { perOwner: 20, perPayer: 10, inTotal: 1_000 },
        originCheckIntervalMs: 5_000,
        allowLoopback: false,
        search: { embeddings: undefined, cursorSecret: undefined, similarityFloor: 0.3 },
      },
      explorer: {
        port: 8081,
        rateLimitPerMinute: 600,
        readPoolSize: 5,
        registry: [],
        allowLoopback: false,
        networks: [
          {
            id: 'stellar:testnet',
            rpcUrls: ['https://rpc.example'],
            rpcHeaders: [],
            watchedSacs: 'all',
            uptoContracts: [],
          },
        ],
      },
      networks: [
        {
          id: 'stellar:testnet',
          rpcUrls: ['https://rpc.example'],
          sponsorSecret: SECRET,
          channelCount: 8,
          autoProvisionChannels: true,
          assets: [{ contract: usdcContracts['stellar:testnet'], symbol: 'USDC', decimals: 7 }],
          maxTxFeeStroops: 300_000n,
          inclusionFee: { floorStroops: 100n, capStroops: 10_000n, percentile: 'p90' },
          sponsorReserve: 50_000_000n,
          minSponsorBalance: 250_000_000n,
          hourlyBudget: undefined,
          maxKeyShareOfBudgetPercent: 100,
          expirationMarginLedgers: 1,
          timeoutMinSeconds: 10,
          timeoutMaxSeconds: 900,
          payers: {
            limitToFunds: true,
            pause: { failures: 3, windowSeconds: 300, pauseSeconds: 60 },
          },
          requireApiKey: false,
          watchedContracts: [],
          upto: undefined,
          previousSponsorSecret: undefined,
          nextSponsorSecret: undefined,
        },
      ],
    })
  })

  test('cannot be changed, at any depth', () => {
    const config = load()

    expect(Object.isFrozen(config.store)).toBe(true)
    expect(Object.isFrozen(config.networks[0]?.inclusionFee)).toBe(true)
    expect(Object.isFrozen(config.networks[0]?.assets[0])).toBe(true)
  })

  test('takes an empty variable for an unset one', () => {
    expect(load({ PORT: '', STORE: '', CHANNEL_COUNT: '', TESTNET_ASSETS: '' })).toEqual(load())
  })

  test('does not mind the variables of others', () => {
    expect(load({ PORTT: 'x', KUBERNETES_PORT: 'tcp://10.0.0.1:443' })).toEqual(load())
  })

  test('gives an unprefixed setting to every network, where none of its own wins', () => {
    const { networks } = load({ ...pubnet, CHANNEL_COUNT: '3', PUBNET_CHANNEL_COUNT: '5' })

    expect(networks.map(({ id, channelCount }) => [id, channelCount])).toEqual([
      ['stellar:testnet', 3],
      ['stellar:pubnet', 5],
    ])
  })

  test('takes what is one network’s own with its prefix only', () => {
    const shared = { ...pubnet, AUTO_PROVISION_CHANNELS: 'true', TIMEOUT_MAX_SECONDS: '60' }
    const { networks } = load(shared)
    expect(networks.map((network) => network.autoProvisionChannels)).toEqual([true, false])
    expect(networks.map((network) => network.timeoutMaxSeconds)).toEqual([900, 900])
  })

  test('creates channels at the start on the test network only, by default', () => {
    const provisions = (changes: Variables) =>
      load({ ...pubnet, ...changes }).networks.map((network) => network.autoProvisionChannels)

    expect(provisions({})).toEqual([true, false])
    expect(provisions({ PUBNET_AUTO_PROVISION_CHANNELS: 'true' })).toEqual([true, true])
    expect(provisions({ TESTNET_AUTO_PROVISION_CHANNELS: 'false' })).toEqual([false, false])
  })

  test('N4: reads RPC endpoints and their headers from files', () => {
    const { networks } = load({
      TESTNET_RPC_URL: undefined,
      TESTNET_RPC_URL_FILE: '/run/rpc',
      TESTNET_RPC_HEADERS_FILE: '/run/rpc-headers',
    })
    expect(networks[0]).toMatchObject({
      rpcUrls: ['https://rpc.example/v1/key', 'https://two.example'],
      rpcHeaders: [
        { origin: 'https://two.example', name: 'x-api-key', value: 'a, b' },
        { origin: 'https://rpc.example', name: 'authorization', value: 'Bearer b' },
      ],
    })
  })

  test('reads secrets from files', () => {
    const config = load({
      DATABASE_URL: undefined,
      DATABASE_URL_FILE: '/run/database',
      TESTNET_SPONSOR_SECRET: undefined,
      TESTNET_SPONSOR_SECRET_FILE: '/run/sponsor',
    })

    expect(config.store).toMatchObject({ url: 'postgresql://from/file' })
    expect(config.networks[0]?.sponsorSecret).toBe(OTHER_SECRET)
  })

  test('serves the scheme upto through the contract that is set, with the documented defaults', () => {
    const { networks, explorer } = load({ TESTNET_UPTO_CONTRACT: ASSET })

    expect(networks[0]?.upto).toEqual({
      contract: ASSET,
      keeper: {
        enabled: true,
        autoRestore: true,
        floorLedgers: 241_920,
        targetLedgers: 518_400,
      },
    })
    expect(explorer?.networks[0]?.uptoContracts).toEqual([ASSET])
  })

  test('takes the settings of the keeper for every network or one', () => {
    const { networks } = load({
      ...pubnet,
      TESTNET_UPTO_CONTRACT: ASSET,
      PUBNET_UPTO_CONTRACT: usdcContracts['stellar:testnet'],
      UPTO_KEEPER_ENABLED: 'false',
      PUBNET_UPTO_KEEPER_ENABLED: 'true',
      PUBNET_UPTO_AUTO_RESTORE: 'false',
      UPTO_TTL_FLOOR_LEDGERS: '17280',
      UPTO_TTL_TARGET_LEDGERS: '17281',
      TESTNET_UPTO_TTL_TARGET_LEDGERS: '3110399',
    })

    expect(networks.map(({ upto }) => upto?.keeper)).toEqual([
      { enabled: false, autoRestore: true, floorLedgers: 17_280, targetLedgers: 3_110_399 },
      { enabled: true, autoRestore: false, floorLedgers: 17_280, targetLedgers: 17_281 },
    ])
  })

  test('reads the secret of the sponsor before, from a file too', () => {
    const previous = (changes: Variables) => load(changes).networks[0]?.previousSponsorSecret

    expect(previous({ TESTNET_PREVIOUS_SPONSOR_SECRET: OTHER_SECRET })).toBe(OTHER_SECRET)
    expect(previous({ TESTNET_PREVIOUS_SPONSOR_SECRET_FILE: '/run/sponsor' })).toBe(OTHER_SECRET)
  })

  test('reads the secret of the sponsor that follows', () => {
    const [network] = load({ TESTNET_NEXT_SPONSOR_SECRET: OTHER_SECRET }).networks
    expect(network).toMatchObject({ sponsorSecret: SECRET, nextSponsorSecret: OTHER_SECRET })
  })

  test('requires API keys where REQUIRE_API_KEY says so', () => {
    const requires = (changes: Variables) =>
      load({ ...pubnet, API_KEY_SHA256: DIGEST, ...changes }).networks.map(
        ({ requireApiKey }) => requireApiKey,
      )

    expect(requires({})).toEqual([false, false])
    expect(requires({ PUBNET_REQUIRE_API_KEY: 'true' })).toEqual([false, true])
    expect(requires({ PUBNET_REQUIRE_API_KEY: '', REQUIRE_API_KEY: 'true' })).toEqual([true, true])
    expect(requires({ REQUIRE_API_KEY: 'true' })).toEqual([true, false])
  })

  test('reads digests of API keys, and remembers the file they came from', () => {
    const API_KEY_SHA256 = ` ${DIGEST.toUpperCase()}, ${OTHER_DIGEST},${DIGEST}`
    expect(load({ API_KEY_SHA256 }).apiKeys).toEqual({
      entries: [{ digest: DIGEST }, { digest: OTHER_DIGEST }],
    })
    expect(load({ API_KEY_SHA256_FILE: '/run/keys' }).apiKeys).toEqual({
      entries: [{ digest: OTHER_DIGEST }, { digest: DIGEST }],
      file: '/run/keys',
    })
  })

  test('accepts an empty file of digests, with which the last key is withdrawn', () => {
    const variables = { REQUIRE_API_KEY: 'true', API_KEY_SHA256_FILE: '/run/empty' }
    expect(load(variables).apiKeys).toEqual({ entries: [], file: '/run/empty' })
  })

  test.each([
    { bounds: '', read: {} },
    { bounds: ':1', read: { min: 1n } },
    { bounds: ':1:5000000000', read: { min: 1n, max: 5_000_000_000n } },
  ])('reads an asset with the bounds "$bounds"', ({ bounds, read }) => {
    const { networks } = load({ TESTNET_ASSETS: `${ASSET}:EURC:7${bounds}` })

    expect(networks[0]?.assets).toEqual([{ contract: ASSET, symbol: 'EURC', decimals: 7, ...read }])
  })

  test('never pauses a payer after 0 failures', () => {
    const { networks } = load({ PAYER_PAUSE_FAILURES: '0', PAYER_FUNDS_LIMIT: 'false' })

    expect(networks[0]?.payers).toEqual({ limitToFunds: false, pause: undefined })
  })

  test('reads several RPC endpoints in order', () => {
    const { networks } = load({ TESTNET_RPC_URL: 'https://a.example, http://127.0.0.1:8000 ,' })

    expect(networks[0]?.rpcUrls).toEqual(['https://a.example', 'http://127.0.0.1:8000'])
  })

  test('lists every problem at once', () => {
    const problems = problemsOf({
      PORT: '99999',
      LOG_LEVEL: 'loud',
      DATABASE_URL: undefined,
      TESTNET_RPC_URL: undefined,
      TESTNET_SPONSOR_SECRET: undefined,
      CHANNEL_COUNT: '0',
      TESTNET_TIMEOUT_MIN_SECONDS: '901',
    })

    expect(problems).toEqual([
      'PORT must be a whole number from 0 to 65535',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
      'DATABASE_URL is required with STORE=postgres, such as postgres://user:password@host:5432/database',
      'TESTNET_RPC_URL is required, such as https://soroban-testnet.stellar.org',
      'CHANNEL_COUNT must be a whole number from 1 to 1000',
      'TESTNET_TIMEOUT_MIN_SECONDS (901) must not be above TESTNET_TIMEOUT_MAX_SECONDS (900)',
      'TESTNET_SPONSOR_SECRET is required, the seed (S...) of the account that pays the fees',
    ])
  })

  test('never prints a secret', () => {
    const secrets = {
      TESTNET_SPONSOR_SECRET: `${SECRET}x`,
      TESTNET_PREVIOUS_SPONSOR_SECRET: `${SECRET}x`,
      TESTNET_NEXT_SPONSOR_SECRET: `${SECRET}x`,
      DATABASE_URL: 'my passphrase',
    }

    expect(() => load(secrets)).toThrow(ConfigError)
    expect(problemsOf(secrets).join()).not.toMatch(/SCZANGBA|passphrase/)
  })
})
