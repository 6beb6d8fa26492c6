import { describe, expect, it } from 'vitest'
import { readFaucetRequest } from '../../../src/localnet/faucet/parameters.ts'

const G = 'GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5'
const C = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA'
/** SEP-23's own example: an M address and the G address beneath it. */
const M = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ'
const BENEATH = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'

const read = (parameters: Record<string, string>) =>
  readFaucetRequest(new URLSearchParams(parameters))

describe('readFaucetRequest', () => {
  it.each([
    [{ addr: G }, { address: G, asset: 'USDC', amount: 100_0000000n }],
    [
      { addr: C, asset: 'XLM' },
      { address: C, asset: 'XLM', amount: 10_000_0000000n },
    ],
    [
      { addr: M, amount: '0.0000001' },
      { address: BENEATH, asset: 'USDC', amount: 1n },
    ],
    [
      { addr: G, amount: '12.5' },
      { address: G, asset: 'USDC', amount: 12_5000000n },
    ],
  ])('reads %j', (parameters, gift) => {
    expect(read(parameters)).toEqual(gift)
  })

  it.each([
    [{}, 'addr'],
    [{ addr: `${G.slice(0, -1)}A` }, 'addr'],
    [{ addr: G, asset: 'EURC' }, 'asset'],
    [{ addr: G, amount: '0' }, 'amount'],
    [{ addr: G, amount: '-1' }, 'amount'],
    [{ addr: G, amount: '1e3' }, 'amount'],
    [{ addr: G, amount: '0.00000001' }, 'amount'],
    [{ addr: G, amount: '1000000000.1' }, 'amount'],
  ])('refuses %j for its %s', (parameters: Record<string, string>, parameter) => {
    expect(() => read(parameters)).toThrow(expect.objectContaining({ parameter }))
  })
})
