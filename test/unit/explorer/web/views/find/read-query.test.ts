import { describe, expect, test } from 'vitest'
import { readQuery } from '../../../../../../src/explorer/web/views/find/read-query.ts'

const hash = 'ab12'.repeat(16)
const account = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'
const contract = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA'
// SEP-23's example, an id of the account below.
const muxed = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK'
const behindMuxed = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'

describe('readQuery', () => {
  test.each([
    hash,
    hash.toUpperCase(),
    `  ${hash}\n`,
    `0x ${hash}`,
    `https://stellar.expert/explorer/public/tx/${hash}`,
    `https://stellar.expert/explorer/testnet/tx/${hash}?tab=ops#top`,
    `http://127.0.0.1:8081/ui/payments/${hash}/card.png`,
  ])('reads a hash from %j', (text) => {
    expect(readQuery(text)).toEqual({ kind: 'payment', txHash: hash })
  })

  test.each([
    { text: account, address: account },
    { text: ` ${account} `, address: account },
    { text: account.toLowerCase(), address: account },
    { text: contract, address: contract },
    { text: muxed, address: behindMuxed },
    { text: `https://stellarchain.io/accounts/${account}`, address: account },
    { text: `https://stellar.expert/explorer/public/contract/${contract}`, address: contract },
  ])('reads an address from $text', ({ text, address }) => {
    expect(readQuery(text)).toEqual({ kind: 'address', address })
  })

  test('tells an address with a wrong checksum from a name', () => {
    const text = `${account.slice(0, -1)}A`
    expect(readQuery(text)).toEqual({ kind: 'mistyped', text })
  })

  test.each([
    { text: 'Weather API', name: 'Weather API' },
    { text: '  acme ', name: 'acme' },
    { text: hash.slice(1), name: hash.slice(1) },
    { text: `x${hash}`, name: `x${hash}` },
    { text: 'a'.repeat(500), name: 'a'.repeat(100) },
    { text: 'two\nlines\0 \u202ehidden', name: 'two lines hidden' },
    { text: '\0', name: '' },
    { text: account.slice(1), name: account.slice(1) },
  ])('takes $text for a name', ({ text, name }) => {
    expect(readQuery(text)).toEqual({ kind: 'name', text: name })
  })
})
