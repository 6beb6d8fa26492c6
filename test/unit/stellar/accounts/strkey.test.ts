import { describe, expect, it, test } from 'vitest'
import { addressKind, baseAddress, muxedId } from '../../../../src/stellar/accounts/strkey.ts'

// The account and the muxed account of SEP-23's own examples.
const account = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ'
const muxed = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ'
const muxedHigh = 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK'
const contract = 'CA3D5KRYM6CB7OWQ6TWYRR3Z4T7GNZLKERYNZGGA5SOAOPIFY6YQGAXE'

describe('addressKind', () => {
  test.each([
    [account, 'account'],
    [contract, 'contract'],
    [muxed, 'muxed'],
    ['', undefined],
    [account.toLowerCase(), undefined],
    [`${account.slice(0, -1)}A`, undefined],
    [`${contract.slice(0, -1)}A`, undefined],
    [`${muxed.slice(0, -1)}A`, undefined],
    [` ${account}`, undefined],
    ['SBXRTMPYDOYDVWVFN4JJ2MWQSKFCSGXSCVKS26LNEXMOXI2CH5NXBVN6', undefined],
  ])('%s is %s', (text, kind) => {
    expect(addressKind(text)).toBe(kind)
  })
})

describe('a muxed address', () => {
  it('has an account and an id', () => {
    expect([baseAddress(muxed), muxedId(muxed)]).toEqual([account, 0n])
    expect([baseAddress(muxedHigh), muxedId(muxedHigh)]).toEqual([account, 2n ** 63n])
  })

  it('is distinguished from other addresses', () => {
    expect([baseAddress(account), muxedId(account)]).toEqual([account, undefined])
    expect([baseAddress(contract), muxedId(contract)]).toEqual([contract, undefined])
  })
})
