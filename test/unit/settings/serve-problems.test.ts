import { describe, expect, test } from 'vitest'
import type { Variables } from '../../../src/settings/parser/environment.ts'
import {
  ASSET,
  errorOf,
  OTHER_SECRET,
  PUBLIC_KEY,
  problemsOf,
  pubnet,
  SECRET,
} from './serve-environment.ts'

describe('a variable of serve', () => {
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
      when: 'a retention of no day',
      changes: { SETTLEMENT_RETENTION_DAYS: '0' },
      problem: 'SETTLEMENT_RETENTION_DAYS must be a whole number from 1 to 3650',
    },
    {
      when: 'a service fee with eight decimals',
      changes: { SERVICE_FEE_PER_SETTLEMENT_USD: '0.00000001' },
      problem:
        'SERVICE_FEE_PER_SETTLEMENT_USD must be an amount of US dollars with at most 7 decimals',
    },
    {
      when: 'a service fee that nobody pays',
      changes: { SERVICE_FEE_PER_SETTLEMENT_USD: '1000000' },
      problem: 'SERVICE_FEE_PER_SETTLEMENT_USD must be at most 1000 US dollars',
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
        'API_KEY_SHA256 must be one or more SHA-256 digests in hex with commas or white space between them: entry 1 is not a SHA-256 digest',
    },
    {
      when: 'N4: a header of an endpoint without its origin, which is not repeated',
      changes: { TESTNET_RPC_HEADERS: 'X-Api-Key: hunter2' },
      problem:
        'TESTNET_RPC_HEADERS must be lines such as https://rpc.example X-Api-Key: KEY, without headers that a proxy or a cloud reads',
    },
    {
      when: 'N4: a header for an origin of no endpoint',
      changes: { TESTNET_RPC_HEADERS: 'https://other.example X-Api-Key: hunter2' },
      problem: 'TESTNET_RPC_HEADERS names an origin of no endpoint in TESTNET_RPC_URL',
    },
    {
      when: 'N4: the URLs of endpoints, as a variable and as a file',
      changes: { TESTNET_RPC_URL_FILE: '/run/rpc' },
      problem: 'TESTNET_RPC_URL and TESTNET_RPC_URL_FILE are both set: unset one of them',
    },
    {
      when: 'API keys required and none configured',
      changes: { REQUIRE_API_KEY: 'true' },
      problem: 'API_KEY_SHA256 is required: stellar:testnet requires API keys',
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
      problem:
        'DATABASE_URL must be a URL that starts with postgres://, such as postgres://user:password@host:5432/database',
    },
    {
      when: 'a password that is not encoded',
      changes: { DATABASE_URL: 'postgres://svc:p#ss@localhost/svc' },
      problem:
        'DATABASE_URL is not a valid URL: in postgres://user:password@host:5432/database, write @ : / ? # % of a password as %40 %3A %2F %3F %23 %25',
    },
    {
      when: 'a network that is not one of Stellar',
      changes: { NETWORKS: 'stellar:testnet,eip155:8453' },
      problem:
        'NETWORKS names "eip155:8453", which is no network that svc serves: it takes one or more of stellar:testnet, stellar:pubnet',
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
      problem:
        'PUBNET_SPONSOR_SECRET is required, the seed (S...) of the account that pays the fees',
    },
    {
      when: 'a secret both ways',
      changes: { TESTNET_SPONSOR_SECRET_FILE: '/run/sponsor' },
      problem:
        'TESTNET_SPONSOR_SECRET and TESTNET_SPONSOR_SECRET_FILE are both set: unset one of them',
    },
    {
      when: 'a file that is not there',
      changes: { DATABASE_URL: undefined, DATABASE_URL_FILE: '/run/nothing' },
      problem:
        'DATABASE_URL_FILE names a file that does not exist; it takes the path of a file that holds the value',
    },
    {
      when: 'an empty file',
      changes: { TESTNET_SPONSOR_SECRET: undefined, TESTNET_SPONSOR_SECRET_FILE: '/run/empty' },
      problem: 'TESTNET_SPONSOR_SECRET_FILE names an empty file; write the value into it',
    },
    {
      when: 'an address for a secret',
      changes: { TESTNET_SPONSOR_SECRET: ASSET },
      problem: 'TESTNET_SPONSOR_SECRET must be a secret seed (S...)',
    },
    {
      when: 'a public key for a secret',
      changes: { TESTNET_SPONSOR_SECRET: PUBLIC_KEY },
      problem:
        'TESTNET_SPONSOR_SECRET is the public key (G...) of an account: it must be its secret seed (S...)',
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
      when: 'the seed of the sponsor as that of the one before it',
      changes: { TESTNET_PREVIOUS_SPONSOR_SECRET: SECRET },
      problem:
        'TESTNET_PREVIOUS_SPONSOR_SECRET must not be the seed of TESTNET_SPONSOR_SECRET: it takes the one before it, or nothing',
    },
    {
      when: 'the seed of the sponsor as that of the one that follows',
      changes: { TESTNET_NEXT_SPONSOR_SECRET: SECRET },
      problem:
        'TESTNET_NEXT_SPONSOR_SECRET must not be the seed of TESTNET_SPONSOR_SECRET: it takes the one that follows, or nothing',
    },
    {
      when: 'one seed for the sponsor before and for the one that follows',
      changes: {
        TESTNET_PREVIOUS_SPONSOR_SECRET: OTHER_SECRET,
        TESTNET_NEXT_SPONSOR_SECRET: OTHER_SECRET,
      },
      problem:
        'TESTNET_NEXT_SPONSOR_SECRET must not be the seed of TESTNET_PREVIOUS_SPONSOR_SECRET: it takes the one that follows, or nothing',
    },
    {
      when: 'a public key for the secret of the sponsor before',
      changes: { TESTNET_PREVIOUS_SPONSOR_SECRET: PUBLIC_KEY },
      problem:
        'TESTNET_PREVIOUS_SPONSOR_SECRET is the public key (G...) of an account: it must be its secret seed (S...)',
    },
    {
      when: 'a floor of the TTL that is no lower than its target',
      changes: { UPTO_TTL_FLOOR_LEDGERS: '20000', TESTNET_UPTO_TTL_TARGET_LEDGERS: '20000' },
      problem:
        'UPTO_TTL_FLOOR_LEDGERS (20000) must be below TESTNET_UPTO_TTL_TARGET_LEDGERS (20000)',
    },
    {
      when: 'a floor of the TTL under a day',
      changes: { UPTO_TTL_FLOOR_LEDGERS: '17279' },
      problem: 'UPTO_TTL_FLOOR_LEDGERS must be a whole number from 17280 to 3110398',
    },
    {
      when: 'a TTL that the network does not allow',
      changes: { UPTO_TTL_TARGET_LEDGERS: '3110400' },
      problem: 'UPTO_TTL_TARGET_LEDGERS must be a whole number from 17281 to 3110399',
    },
    {
      when: 'an asset whose contract fails its checksum',
      changes: { TESTNET_ASSETS: `${ASSET.slice(0, -1)}A:EURC:7` },
      problem: 'TESTNET_ASSETS contains something that is no contract address',
    },
    {
      when: 'an asset with a sixth part',
      changes: { TESTNET_ASSETS: `${ASSET}:EURC:7:1:2:3` },
      problem:
        'TESTNET_ASSETS must be CONTRACT:SYMBOL:DECIMALS[:MIN[:MAX]] with commas between assets',
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
  ])('reports $when', ({ changes, problem }) => {
    expect(problemsOf(changes)).toEqual(problem === undefined ? [] : [problem])
  })
})

describe('a wrong NETWORKS hides no other problem:', () => {
  test('the settings of a network that was nearly named are checked', () => {
    const changes = { NETWORKS: 'stellar:testnett', CHANNEL_COUNT: '0', TESTNET_RPC_URL: undefined }
    expect(problemsOf(changes)).toEqual([
      'NETWORKS names "stellar:testnett", which is no network that svc serves. Did you mean stellar:testnet?',
      'TESTNET_RPC_URL is required, such as https://soroban-testnet.stellar.org',
      'CHANNEL_COUNT must be a whole number from 1 to 1000',
    ])
  })

  test('else those of the networks that have variables', () => {
    const changes = { NETWORKS: 'eip155:8453', TESTNET_ALLOW_HTTP: 'yes', CHANNEL_COUNT: '0' }
    expect(problemsOf(changes)).toEqual([
      'NETWORKS names "eip155:8453", which is no network that svc serves: it takes one or more of stellar:testnet, stellar:pubnet',
      'CHANNEL_COUNT must be a whole number from 1 to 1000',
      'TESTNET_ALLOW_HTTP must be true or false',
    ])
  })

  test('else those of the settings for every network', () => {
    const none = { TESTNET_RPC_URL: undefined, TESTNET_SPONSOR_SECRET: undefined }
    const { problems } = errorOf({ ...none, NETWORKS: 'x', CHANNEL_COUNT: '0' })
    expect(problems.map(({ variable }) => variable)).toEqual(['NETWORKS', 'CHANNEL_COUNT'])
  })
})

test('a problem of a variable for every network is listed once', () => {
  const { message } = errorOf({ ...pubnet, CHANNEL_COUNT: '0' })
  expect(message.match(/CHANNEL_COUNT/g)).toHaveLength(1)
})
