import { Keypair, StrKey } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { readSupported } from '../../../../../src/explorer/registry/facilitators/read-supported.ts'

const signer = 'GCEZWKCA5VLDNRLN3RPRJMRZOX3Z6G5CHCGSNFHEYVXM3XOJMDS674JZ'
const [testnet, pubnet] = ['stellar:testnet', 'stellar:pubnet'] as const
const kind = (network: string, more: object = {}) => ({
  x402Version: 2,
  scheme: 'exact',
  network,
  ...more,
})
const read = (answer: unknown) => readSupported(Buffer.from(JSON.stringify(answer)))
const signersOf = (signers: unknown, kinds: readonly object[] = [kind(testnet)]) =>
  read({ kinds, signers })?.signers
const contracts = (count: number) =>
  Array.from({ length: count }, (_, place) => StrKey.encodeContract(Buffer.alloc(32, place)))

describe('signers', () => {
  test('of the family sign on each Stellar network that the facilitator serves', () => {
    expect(signersOf({ 'stellar:*': [signer] }, [kind(testnet), kind('eip155:1')])).toEqual([
      { network: testnet, address: signer },
    ])
    expect(signersOf({ 'stellar:*': [signer] }, [kind(testnet), kind(pubnet)])).toEqual([
      { network: testnet, address: signer },
      { network: pubnet, address: signer },
    ])
    expect(signersOf({ 'stellar:*': [signer] }, [kind('stellar:*')])).toHaveLength(2)
  })

  test('of one network sign on that one, and count once when they are named twice', () => {
    expect(signersOf({ [pubnet]: [signer, signer], 'stellar:*': [signer] })).toEqual([
      { network: pubnet, address: signer },
      { network: testnet, address: signer },
    ])
  })

  test.each([
    ['a wrong checksum', `${signer.slice(0, -1)}A`],
    ['a contract', 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA'],
    ['a muxed account', StrKey.encodeMed25519PublicKey(Buffer.alloc(40, 1))],
    ['an address of another chain', '0x0000000000000000000000000000000000000001'],
    ['no text', 7],
  ])('with %s are left out', (_, address) => {
    expect(signersOf({ 'stellar:*': [address, signer] })).toEqual([
      { network: testnet, address: signer },
    ])
  })

  test('are at most 64, on however many networks', () => {
    const addresses = Array.from({ length: 70 }, () => Keypair.random().publicKey())
    const signers = signersOf({ 'stellar:*': addresses }, [kind(testnet), kind(pubnet)])
    expect(new Set(signers?.map(({ address }) => address))).toEqual(new Set(addresses.slice(0, 64)))
    expect(signers).toHaveLength(128)
  })

  test.each([undefined, null, [], 'x', { 'stellar:*': signer }, { 'eip155:*': [signer] }])(
    'are none in %j',
    (signers) => {
      expect(signersOf(signers)).toEqual([])
    },
  )
})

test('networks are those of its kinds, of any chain, at most 32', () => {
  const many = Array.from({ length: 40 }, (_, place) => kind(`eip155:${place}`))
  const answer = { kinds: [kind(testnet), kind(testnet), kind('no network'), ...many] }
  expect(read(answer)?.networks).toEqual([
    testnet,
    ...many.slice(0, 31).map(({ network }) => network),
  ])
})

test('upto contracts are recorded by either member, at most 16', () => {
  const upto = (extra: object) => kind(testnet, { scheme: 'upto', extra })
  const [first = '', second = '', ...others] = contracts(20)
  const kinds = [
    upto({ uptoContract: first, areFeesSponsored: true }),
    upto({ settlementContract: second }),
    upto({ uptoContract: signer }),
    kind(testnet, { extra: { uptoContract: others[0] } }),
    kind('eip155:1', { scheme: 'upto', extra: { uptoContract: others[1] } }),
  ]
  expect(read({ kinds })?.uptoContracts).toEqual([first, second])
  const more = contracts(20).map((uptoContract) => upto({ uptoContract }))
  expect(read({ kinds: more })?.uptoContracts).toHaveLength(16)
})

test.each([
  [{ displayName: 'Payer', name: 'other' }, 'Payer'],
  [{ name: ' Pay\u202eer\u0000 ' }, 'Payer'],
  [{ name: 'x'.repeat(100_000) }, 'x'.repeat(64)],
  [{ name: '\u200b' }, undefined],
  [{ name: 7 }, undefined],
  [{}, undefined],
])('the name in %j is %j', (members, name) => {
  expect(read({ kinds: [], ...members })?.name).toBe(name)
})

test.each(['', '{', 'null', '[]', '{"kinds":{}}', '{"signers":{}}'])('%s is no answer', (body) => {
  expect(readSupported(Buffer.from(body))).toBeUndefined()
})
