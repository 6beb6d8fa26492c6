import { expect, test } from 'vitest'
import { assetNames } from '../../../../src/explorer/reading/asset.ts'

const issuer = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'
const contract = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA'
const known = { contract, decimals: 7 }

test.each([
  [
    { code: 'XLM', issuer: null, ...known },
    { asset: 'native', assetCode: 'XLM' },
  ],
  [
    { code: 'USDC', issuer, ...known },
    { asset: `USDC:${issuer}`, assetCode: 'USDC' },
  ],
  // The symbol that a token of its own reports.
  [{ code: 'USDC', issuer: null, ...known }, { assetCode: 'USDC' }],
  [{ code: null, issuer: null, ...known }, {}],
])('names %o', (facts, names) => {
  expect(assetNames(facts)).toEqual(names)
})
