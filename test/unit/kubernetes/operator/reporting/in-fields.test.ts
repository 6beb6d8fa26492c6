import { describe, expect, test } from 'vitest'
import { fieldNames } from '../../../../../src/kubernetes/operator/facilitator/spec/field-names.ts'
import {
  databaseFields,
  inFields,
} from '../../../../../src/kubernetes/operator/reporting/in-fields.ts'
import { presentEntries } from '../../../../../src/payments/upto-keeper/plan-keeping.ts'
import { refusalOf } from '../../../../../src/platform/database/postgres/refusals.ts'
import { perNetworkSettings, processSettings } from '../../../../../src/settings/rows/processes.ts'
import { facilitatorWith, pubnet, testnet } from '../facilitator/builders.ts'

const one = facilitatorWith()
const both = facilitatorWith({ networks: [{ channelPool: 'testnet' }, { channelPool: 'pubnet' }] })
const pools = new Map([
  ['testnet', testnet()],
  ['pubnet', pubnet()],
])
const ofOne = fieldNames(one, new Map([['testnet', testnet()]]))
const ofBoth = fieldNames(both, pools)

describe('N10: a message of a pod names the field, not the variable', () => {
  test.each([
    ['correct TESTNET_UPTO_CONTRACT', 'correct spec.networks[testnet].upto.contract'],
    ['correct PUBNET_ASSETS', 'correct spec.networks[pubnet].assets'],
    ['see TESTNET_RPC_URL', 'see spec.rpc.urls of ChannelPool testnet'],
    ['TESTNET_SPONSOR_SECRET_FILE', 'spec.sponsor.secretRef of ChannelPool testnet'],
    ['set UPTO_KEEPER_ENABLED=true', 'set spec.networks[].upto.keeper.enabled=true'],
    ['RATE_LIMIT_PER_MINUTE must be', 'spec.rateLimitPerMinute must be'],
    ['raise DATABASE_POOL_SIZE (database.poolSize) to 5', 'raise spec.database.poolSize to 5'],
    ['a DATABASE_POOL_SIZE of 5', 'a spec.database.poolSize of 5'],
    ['GET /health, HTTP 500, PG_DUMP, CAAA', 'GET /health, HTTP 500, PG_DUMP, CAAA'],
  ])('%s', (said, read) => {
    expect(inFields(said, ofBoth)).toBe(read)
  })

  test('of the only network, where the variable has no prefix', () => {
    expect(inFields('MAX_TX_FEE_STROOPS', ofOne)).toBe(
      'spec.networks[testnet].fees.maxTxFeeStroops',
    )
  })

  test('what the keeper says about a contract that is not there', () => {
    const entries = { instance: undefined, code: undefined, wasmHash: undefined, maxTtl: 1 }
    const found = presentEntries({ network: 'stellar:testnet', contract: 'CA', entries } as never)

    expect(inFields('error' in found ? found.error : '', ofOne)).toBe(
      'there is no contract CA on stellar:testnet: correct spec.networks[testnet].upto.contract, or create a contract with svc upto deploy and name that',
    )
  })

  test('every setting that a field sets', () => {
    const rows = {
      ...processSettings.facilitator,
      ...processSettings.catalog,
      ...processSettings.explorer,
    }
    const variables = [
      ...Object.entries(rows).flatMap(([name, row]) => ('crd' in row ? [name] : [])),
      ...Object.entries(perNetworkSettings).flatMap(([name, row]) =>
        'crd' in row ? [`TESTNET_${name}`, `PUBNET_${name}`] : [],
      ),
    ]

    expect(variables.length).toBeGreaterThan(40)
    expect(variables.filter((name) => !inFields(name, ofBoth).startsWith('spec.'))).toEqual([])
  })
})

const at = {
  server: 'db:5432',
  host: 'db',
  database: 'svc',
  role: 'app',
  variable: 'DATABASE_URL',
  hasCa: false,
} as const

describe('N10: a refusal of the database', () => {
  const names = new Map(Object.entries(databaseFields))
  const said = (code: string, message: string, hasCa = false): string => {
    const refusal = refusalOf(code, message, { ...at, hasCa })
    return inFields(`${refusal?.says}. ${refusal?.todo}`, names)
  }

  test('names the certificate authority, where that requires TLS', () => {
    const message = 'The server does not support SSL connections'

    expect(said('', message, true)).toBe(
      'Postgres at db:5432 offers no TLS, and spec.database.caSecretRef requires it. turn on ssl in the server, or unset spec.database.caSecretRef where the network between is private',
    )
    expect(said('', message)).toContain('the URL of spec.database.secretRef requires it')
  })

  test.each([
    ['3D000', 'no database'],
    ['28000', 'role "app" does not exist'],
    ['28000', 'no pg_hba.conf entry for host, no encryption'],
    ['28P01', 'wrong password'],
    ['', 'client password must be a string'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate'],
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND db'],
    ['ECONNREFUSED', 'connect ECONNREFUSED'],
    ['53300', 'too many connections'],
    ['42P07', 'relation exists'],
  ])('has no variable and no file: %s %s', (code, message) => {
    expect(said(code, message)).not.toMatch(/[A-Z]+_[A-Z]+|undefined|FILE/)
  })
})
