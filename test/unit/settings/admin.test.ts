import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { loadAdminConfig } from '../../../src/settings/admin.ts'
import { ConfigError } from '../../../src/settings/parser/config-error.ts'
import { secretOfSeed } from '../../../src/stellar/accounts/signer.ts'

const secret = secretOfSeed(randomBytes(32))
const database = { DATABASE_URL: 'postgres://localhost/svc' }
const testnet = {
  ...database,
  TESTNET_RPC_URL: 'https://one.example,https://two.example',
  TESTNET_SPONSOR_SECRET: secret,
}

function problemsOf(work: () => unknown): string[] {
  try {
    work()
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ variable }) => variable)
    throw error
  }
  return []
}

describe('the configuration of the admin commands', () => {
  test('is a part of what the service is configured by', () => {
    const config = loadAdminConfig({
      ...testnet,
      CHANNEL_COUNT: '12',
      INCLUSION_FEE_STROOPS: '200',
    })
    expect(config).toMatchObject({
      store: { kind: 'postgres', url: database.DATABASE_URL },
      networks: [
        {
          id: 'stellar:testnet',
          rpcUrls: ['https://one.example', 'https://two.example'],
          sponsorSecret: secret,
          channelCount: 12,
          inclusionFee: { floorStroops: 200n, capStroops: 10_000n },
          upto: undefined,
          previousSponsorSecret: undefined,
        },
      ],
    })
    expect(Object.isFrozen(config.networks[0])).toBe(true)
  })

  test('reads the seed from a file', () => {
    const variables = {
      ...testnet,
      TESTNET_SPONSOR_SECRET: undefined,
      TESTNET_SPONSOR_SECRET_FILE: '/run/secrets/sponsor',
    }
    const { networks } = loadAdminConfig(variables, undefined, () => `${secret}\n`)
    expect(networks[0]?.sponsorSecret).toBe(secret)
  })

  test('ignores variables that only serving needs', () => {
    const nonsense = { PORT: 'x', TESTNET_ASSETS: 'x', TESTNET_TIMEOUT_MIN_SECONDS: '0' }
    expect(loadAdminConfig({ ...testnet, ...nonsense }).networks).toHaveLength(1)
    const pubnet = { NETWORKS: 'stellar:pubnet', PUBNET_RPC_URL: 'https://rpc.example' }
    const config = loadAdminConfig({ ...database, ...pubnet, PUBNET_SPONSOR_SECRET: secret })
    expect(config.networks[0]?.id).toBe('stellar:pubnet')
  })

  test('of one network ignores the variables of another', () => {
    const both = { ...testnet, NETWORKS: 'stellar:pubnet,stellar:testnet' }
    const { networks } = loadAdminConfig(both, 'stellar:testnet')
    expect(networks.map(({ id }) => id)).toEqual(['stellar:testnet'])
    expect(loadAdminConfig(testnet, 'stellar:pubnet').networks).toEqual([])
  })

  test.each([
    { change: { TESTNET_RPC_URL: 'http://rpc.example' }, problems: ['TESTNET_RPC_URL'] },
    { change: { CHANNEL_COUNT: '0' }, problems: ['CHANNEL_COUNT'] },
    { change: { NETWORKS: 'stellar:futurenet' }, problems: ['NETWORKS'] },
    { change: { DATABASE_URL: '' }, problems: ['DATABASE_URL'] },
    { change: { STORE: 'memory', DATABASE_URL: '' }, problems: [] },
    {
      change: { INCLUSION_FEE_STROOPS: '300', INCLUSION_FEE_CAP_STROOPS: '200' },
      problems: ['INCLUSION_FEE_STROOPS'],
    },
    {
      change: { UPTO_TTL_FLOOR_LEDGERS: '600000', TESTNET_PREVIOUS_SPONSOR_SECRET: secret },
      problems: ['UPTO_TTL_FLOOR_LEDGERS', 'TESTNET_PREVIOUS_SPONSOR_SECRET'],
    },
    {
      change: { TESTNET_RPC_URL: 'ftp://x', TESTNET_SPONSOR_SECRET: 'S1' },
      problems: ['TESTNET_RPC_URL', 'TESTNET_SPONSOR_SECRET'],
    },
  ])('finds $problems wrong with $change', ({ change, problems }) => {
    expect(problemsOf(() => loadAdminConfig({ ...testnet, ...change }))).toEqual(problems)
  })
})
