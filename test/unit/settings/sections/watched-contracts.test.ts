import { describe, expect, test } from 'vitest'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'
import { loadServeConfig } from '../../../../src/settings/serve.ts'

const testnetUsdc = usdcContracts['stellar:testnet']
const pubnetUsdc = usdcContracts['stellar:pubnet']
const seed = 'SCZANGBA5YHTNYVVV4C3U252E2B6P6F5T3U6MM63WBSBZATAQI3EBTQ4'

const load = (environment: Record<string, string>) =>
  loadServeConfig({
    STORE: 'memory',
    TESTNET_RPC_URL: 'https://rpc.example',
    TESTNET_SPONSOR_SECRET: seed,
    ...environment,
  })

const [one, two] = [testnetUsdc, pubnetUsdc]

describe('WATCHED_CONTRACTS', () => {
  test('names contracts by aliases, for every network or for one', () => {
    const watched = (environment: Record<string, string>) =>
      load(environment).networks[0]?.watchedContracts
    expect(watched({})).toEqual([])
    expect(watched({ WATCHED_CONTRACTS: `a=${one}, b.2=${two}` })).toEqual([
      { alias: 'a', id: one },
      { alias: 'b.2', id: two },
    ])
    const both = { WATCHED_CONTRACTS: `a=${one}`, TESTNET_WATCHED_CONTRACTS: `b=${two}` }
    expect(watched(both)).toEqual([{ alias: 'b', id: two }])
  })

  test.each([
    { text: one, because: 'must be ALIAS=CONTRACT with commas between contracts' },
    { text: `=${one}`, because: 'must be ALIAS=CONTRACT with commas between contracts' },
    { text: `a b=${one}`, because: 'must be ALIAS=CONTRACT with commas between contracts' },
    { text: `${'a'.repeat(33)}=${one}`, because: 'must be ALIAS=CONTRACT' },
    { text: 'a=CABC', because: 'contains something that is no contract address' },
    { text: `a=${one}=x`, because: 'contains something that is no contract address' },
    { text: `a=${one},a=${two}`, because: 'names an alias twice' },
    { text: `a=${one},b=${one}`, because: 'names a contract twice' },
  ])('refuses $text: it $because', ({ text, because }) => {
    expect(() => load({ WATCHED_CONTRACTS: text })).toThrow(`WATCHED_CONTRACTS ${because}`)
  })
})

describe('MIN_SPONSOR_BALANCE_XLM', () => {
  test('is a setting of all networks that one of them may have its own way', () => {
    const least = (environment: Record<string, string>) =>
      load(environment).networks[0]?.minSponsorBalance
    expect(least({ MIN_SPONSOR_BALANCE_XLM: '40.5' })).toBe(405_000_000n)
    const both = { MIN_SPONSOR_BALANCE_XLM: '40.5', TESTNET_MIN_SPONSOR_BALANCE_XLM: '0' }
    expect(least(both)).toBe(0n)
    expect(() => load({ MIN_SPONSOR_BALANCE_XLM: '-1' })).toThrow('MIN_SPONSOR_BALANCE_XLM must be')
  })
})
