import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../../src/config/config-error.ts'
import type { Variables } from '../../../src/config/environment.ts'
import { loadServeConfig } from '../../../src/config/serve.ts'
import { usdcContracts } from '../../../src/core/caip2.ts'

const SECRET = 'SCZANGBA5YHTNYVVV4C3U252E2B6P6F5T3U6MM63WBSBZATAQI3EBTQ4'
const OTHER_SECRET = 'SBGWSG6BTNCKCOB3DIFBGCVMUPQFYPA2G4O34RMTB343OYPXU5DJDVMN'
const DIGEST = '0123456789abcdef'.repeat(4)
const OTHER_DIGEST = 'f'.repeat(64)
const ASSET = 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75'

/** The least that works, with changes; undefined unsets. */
const env = (changes: Variables = {}): Variables => ({
  DATABASE_URL: 'postgres://svc:password@localhost/svc',
  TESTNET_RPC_URL: 'https://rpc.example',
  TESTNET_SPONSOR_SECRET: SECRET,
  ...changes,
})

const files: Record<string, string> = {
  '/run/database': 'postgresql://from/file\n',
  '/run/sponsor': `${OTHER_SECRET}\n`,
  '/run/keys': `${OTHER_DIGEST}\n${DIGEST}\n`,
  '/run/empty': ' \n',
}

const load = (changes?: Variables) =>
  loadServeConfig(env(changes), (path) => {
    const content = files[path]
    if (content === undefined) throw Object.assign(new Error('no'), { code: 'ENOENT' })
    return content
  })

/** The problems as lines, `VARIABLE message`. */
function problemsOf(changes: Variables): string[] {
  try {
    load(changes)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ variable, message }) => `${variable} ${message}`)
  }
  return []
}

const both = { NETWORKS: 'stellar:testnet, stellar:pubnet' }
const pubnet = {
  ...both,
  PUBNET_RPC_URL: 'https://pub.example',
  PUBNET_SPONSOR_SECRET: SECRET,
  PUBNET_REQUIRE_API_KEY: 'false',
}

describe('the configuration of serve', () => {
  test('has the documented defaults', () => {
    expect(load()).toEqual({
      host: '0.0.0.0',
      port: 8080,
      adminPort: 9090,
      bodyLimitBytes: 131_072,
      rateLimitPerMinute: 600,
      trustedProxyHops: 0,
      apiKeys: { digests: [] },
      shutdownGraceMs: 30_000,
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
          expirationMarginLedgers: 1,
          timeoutMinSeconds: 10,
          timeoutMaxSeconds: 300,
          requireApiKey: false,
          watchedContracts: [],
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
    expect(networks.map((network) => network.timeoutMaxSeconds)).toEqual([300, 300])
  })

  test('creates channels by itself on the test network alone, unless told', () => {
    const provisions = (changes: Variables) =>
      load({ ...pubnet, ...changes }).networks.map((network) => network.autoProvisionChannels)

    expect(provisions({})).toEqual([true, false])
    expect(provisions({ PUBNET_AUTO_PROVISION_CHANNELS: 'true' })).toEqual([true, true])
    expect(provisions({ TESTNET_AUTO_PROVISION_CHANNELS: 'false' })).toEqual([false, false])
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

  test('asks for API keys where it is told to', () => {
    const asks = (changes: Variables) =>
      load({ ...pubnet, API_KEY_SHA256: DIGEST, ...changes }).networks.map(
        ({ requireApiKey }) => requireApiKey,
      )

    expect(asks({})).toEqual([false, false])
    expect(asks({ PUBNET_REQUIRE_API_KEY: 'true' })).toEqual([false, true])
    expect(asks({ PUBNET_REQUIRE_API_KEY: '', REQUIRE_API_KEY: 'true' })).toEqual([true, true])
    expect(asks({ REQUIRE_API_KEY: 'true' })).toEqual([true, false])
  })

  test('reads digests of API keys, and remembers the file they came from', () => {
    const API_KEY_SHA256 = ` ${DIGEST.toUpperCase()}, ${OTHER_DIGEST},${DIGEST}`
    expect(load({ API_KEY_SHA256 }).apiKeys).toEqual({ digests: [DIGEST, OTHER_DIGEST] })
    expect(load({ API_KEY_SHA256_FILE: '/run/keys' }).apiKeys).toEqual({
      digests: [OTHER_DIGEST, DIGEST],
      file: '/run/keys',
    })
  })

  test('reads assets with and without bounds', () => {
    const { networks } = load({ TESTNET_ASSETS: `${ASSET}:EURC:7:1:5000000000` })

    expect(networks[0]?.assets).toEqual([
      { contract: ASSET, symbol: 'EURC', decimals: 7, min: 1n, max: 5_000_000_000n },
    ])
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
      TESTNET_TIMEOUT_MIN_SECONDS: '301',
    })

    expect(problems).toEqual([
      'PORT must be a whole number from 0 to 65535',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
      'DATABASE_URL is required with STORE=postgres',
      'TESTNET_RPC_URL is required',
      'TESTNET_SPONSOR_SECRET is required',
      'CHANNEL_COUNT must be a whole number from 1 to 1000',
      'TESTNET_TIMEOUT_MIN_SECONDS (301) must not be above TESTNET_TIMEOUT_MAX_SECONDS (300)',
    ])
  })

  test.each<{ when: string; changes: Variables; problem: string | undefined }>([
    {
      when: 'a port that is no number',
      changes: { PORT: '80a' },
      problem: 'PORT must be a whole number from 0 to 65535',
    },
    {
      when: 'a negative rate limit',
      changes: { RATE_LIMIT_PER_MINUTE: '-1' },
      problem: 'RATE_LIMIT_PER_MINUTE must be a whole number from 0 to 1000000',
    },
    {
      when: 'more proxies than there can be',
      changes: { TRUSTED_PROXY_HOPS: '11' },
      problem: 'TRUSTED_PROXY_HOPS must be a whole number from 0 to 10',
    },
    {
      when: 'a service fee with eight decimals',
      changes: { SERVICE_FEE_PER_SETTLEMENT_USD: '0.00000001' },
      problem:
        'SERVICE_FEE_PER_SETTLEMENT_USD must be an amount of US dollars with at most 7 decimals',
    },
    {
      when: 'a negative service fee',
      changes: { SERVICE_FEE_PER_SETTLEMENT_USD: '-1' },
      problem:
        'SERVICE_FEE_PER_SETTLEMENT_USD must be an amount of US dollars with at most 7 decimals',
    },
    {
      when: 'an API key where its digest belongs',
      changes: { API_KEY_SHA256: 'svc_key' },
      problem:
        'API_KEY_SHA256 must be one or more SHA-256 digests in hex with commas or white space between them',
    },
    {
      when: 'keys asked for and none known',
      changes: { REQUIRE_API_KEY: 'true' },
      problem: 'API_KEY_SHA256 is required: stellar:testnet asks for a key',
    },
    {
      when: 'the public network without a word on keys',
      changes: { ...pubnet, PUBNET_REQUIRE_API_KEY: undefined },
      problem: 'PUBNET_REQUIRE_API_KEY must be set, to true or to false',
    },
    {
      when: 'the public network with the word of every network',
      changes: { ...pubnet, PUBNET_REQUIRE_API_KEY: undefined, REQUIRE_API_KEY: 'false' },
      problem: undefined,
    },
    {
      when: 'a wrong word on keys',
      changes: { ...pubnet, PUBNET_REQUIRE_API_KEY: 'no' },
      problem: 'PUBNET_REQUIRE_API_KEY must be true or false',
    },
    { when: 'a free port twice', changes: { PORT: '0', ADMIN_PORT: '0' }, problem: undefined },
    {
      when: 'one port for two servers',
      changes: { PORT: '9090' },
      problem: 'ADMIN_PORT must differ from PORT (9090)',
    },
    {
      when: 'a body limit under a kibibyte',
      changes: { BODY_LIMIT_BYTES: '1023' },
      problem: 'BODY_LIMIT_BYTES must be a whole number from 1024 to 1048576',
    },
    {
      when: 'a grace over ten minutes',
      changes: { SHUTDOWN_GRACE_MS: '600001' },
      problem: 'SHUTDOWN_GRACE_MS must be a whole number from 0 to 600000',
    },
    {
      when: 'an unknown store',
      changes: { STORE: 'redis' },
      problem: 'STORE must be one of postgres, memory',
    },
    {
      when: 'a store in memory without a database',
      changes: { STORE: 'memory', DATABASE_URL: undefined },
      problem: undefined,
    },
    {
      when: 'a store in memory on the public network',
      changes: { ...pubnet, STORE: 'memory' },
      problem: 'STORE must not be memory with stellar:pubnet: a restart would forget payments',
    },
    {
      when: 'a database of another kind',
      changes: { DATABASE_URL: 'mysql://localhost/svc' },
      problem: 'DATABASE_URL must be a URL that starts with postgres://',
    },
    {
      when: 'a network that is not one of Stellar',
      changes: { NETWORKS: 'stellar:testnet,eip155:8453' },
      problem:
        'NETWORKS must be one or more of stellar:testnet, stellar:pubnet with commas between them',
    },
    {
      when: 'no network',
      changes: { NETWORKS: ',' },
      problem:
        'NETWORKS must be one or more of stellar:testnet, stellar:pubnet with commas between them',
    },
    {
      when: 'a served network without its secret',
      changes: { ...pubnet, PUBNET_SPONSOR_SECRET: undefined },
      problem: 'PUBNET_SPONSOR_SECRET is required',
    },
    {
      when: 'a secret both ways',
      changes: { TESTNET_SPONSOR_SECRET_FILE: '/run/sponsor' },
      problem: 'TESTNET_SPONSOR_SECRET and TESTNET_SPONSOR_SECRET_FILE are both set',
    },
    {
      when: 'a file that is not there',
      changes: { DATABASE_URL: undefined, DATABASE_URL_FILE: '/run/nothing' },
      problem: 'DATABASE_URL_FILE names a file that cannot be read (ENOENT)',
    },
    {
      when: 'an empty file',
      changes: { TESTNET_SPONSOR_SECRET: undefined, TESTNET_SPONSOR_SECRET_FILE: '/run/empty' },
      problem: 'TESTNET_SPONSOR_SECRET_FILE names an empty file',
    },
    {
      when: 'an address for a secret',
      changes: { TESTNET_SPONSOR_SECRET: ASSET },
      problem: 'TESTNET_SPONSOR_SECRET must be a secret seed (S...)',
    },
    {
      when: 'plain http to elsewhere',
      changes: { TESTNET_RPC_URL: 'http://rpc.example' },
      problem:
        'TESTNET_RPC_URL must be https, unless it is on this machine or TESTNET_ALLOW_HTTP=true',
    },
    {
      when: 'plain http to elsewhere when allowed',
      changes: { TESTNET_RPC_URL: 'http://rpc.example', TESTNET_ALLOW_HTTP: 'true' },
      problem: undefined,
    },
    {
      when: 'plain http to this machine',
      changes: { TESTNET_RPC_URL: 'http://[::1]:8000' },
      problem: undefined,
    },
    {
      when: 'plain http on the public network, allowed or not',
      changes: { ...pubnet, PUBNET_RPC_URL: 'http://localhost', PUBNET_ALLOW_HTTP: 'true' },
      problem: 'PUBNET_RPC_URL must be https on the public network',
    },
    {
      when: 'a boolean that is not literal',
      changes: { TESTNET_ALLOW_HTTP: 'yes' },
      problem: 'TESTNET_ALLOW_HTTP must be true or false',
    },
    {
      when: 'a fee ceiling under the cap of bids',
      changes: { MAX_TX_FEE_STROOPS: '5000' },
      problem:
        'TESTNET_INCLUSION_FEE_CAP_STROOPS (10000) must not be above MAX_TX_FEE_STROOPS (5000)',
    },
    {
      when: 'a floor above the cap of bids',
      changes: { TESTNET_INCLUSION_FEE_STROOPS: '10001' },
      problem:
        'TESTNET_INCLUSION_FEE_STROOPS (10001) must not be above TESTNET_INCLUSION_FEE_CAP_STROOPS (10000)',
    },
    {
      when: 'a percentile that the network does not report',
      changes: { INCLUSION_FEE_PERCENTILE: 'p42' },
      problem: 'INCLUSION_FEE_PERCENTILE must be one of p50, p60, p70, p80, p90, p95, p99',
    },
    {
      when: 'an asset whose contract fails its checksum',
      changes: { TESTNET_ASSETS: `${ASSET.slice(0, -1)}A:EURC:7` },
      problem: 'TESTNET_ASSETS names something that is no contract address',
    },
    {
      when: 'an asset with a lower bound alone',
      changes: { TESTNET_ASSETS: `${ASSET}:EURC:7:1` },
      problem:
        'TESTNET_ASSETS must be CONTRACT:SYMBOL:DECIMALS[:MIN:MAX] with commas between assets',
    },
    {
      when: 'an asset twice',
      changes: { TESTNET_ASSETS: `${ASSET}:EURC:7,${ASSET}:USDC:7` },
      problem: 'TESTNET_ASSETS names a contract twice',
    },
    {
      when: 'a reserve with eight decimals',
      changes: { SPONSOR_RESERVE_XLM: '1.00000001' },
      problem: 'SPONSOR_RESERVE_XLM must be an amount of XLM with at most 7 decimals',
    },
  ])('judges $when', ({ changes, problem }) => {
    expect(problemsOf(changes)).toEqual(problem === undefined ? [] : [problem])
  })

  test('never prints a secret', () => {
    const secrets = { TESTNET_SPONSOR_SECRET: `${SECRET}x`, DATABASE_URL: 'my password' }

    expect(() => load(secrets)).toThrow(ConfigError)
    expect(problemsOf(secrets).join()).not.toMatch(/SCZANGBA|password/)
  })
})
