import { describe, expect, it } from 'vitest'
import type { SavedProof } from '../../../../src/buying/proof/saved-proof.ts'
import type { FetchDocument } from '../../../../src/buying/proof/signer-key.ts'
import { type Verdicts, verifyProof } from '../../../../src/buying/proof/verify.ts'
import { exitOf } from '../../../../src/commands/buying/receipt/verify-file.ts'
import { didDocument, payToSigner, siteSigner } from '../../../../src/selling/receipts/signer.ts'
import { signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'
import {
  byPayTo,
  bySite,
  issuedAt,
  proofBy,
  secret,
  strangersSecret,
} from '../../../support/receipts.ts'

const site: FetchDocument = async () => ({ document: didDocument(bySite) })
const away: FetchDocument = async () => ({ failure: 'the site is away' })
const stranger = signerFromSeed(Buffer.alloc(32, 3)).address

/** The names of the verdicts that are not valid, with their states. */
async function wrong(proof: SavedProof, fetchDocument = site): Promise<Record<string, string>> {
  const verdicts = await verifyProof(proof, { fetchDocument })
  const states = Object.entries(verdicts).map(([name, { state }]) => [name, state] as const)
  return Object.fromEntries(
    states.filter(([name, state]) => state !== 'valid' && name !== 'ledger'),
  )
}

describe('what nobody has changed', () => {
  it.each([
    { by: 'the account that was paid', signer: byPayTo },
    { by: 'the site of the resource', signer: bySite },
  ])('is valid when $by has signed it', async ({ signer }) => {
    expect(await wrong(await proofBy(signer))).toEqual({})
  })

  it('is of the account that was paid when only one of both is of the site', async () => {
    const [ofPayTo, ofSite] = [await proofBy(byPayTo), await proofBy(bySite)]
    const mixed = [
      { ...ofPayTo, offer: ofSite.offer },
      { ...ofSite, offer: ofPayTo.offer },
    ]
    for (const proof of mixed) {
      const { authority } = await verifyProof(proof, { fetchDocument: site })
      expect(authority).toMatchObject({ state: 'valid', by: 'payTo' })
    }
  })

  it('is valid without an offer, and unproven without a receipt', async () => {
    const proof = await proofBy(byPayTo)
    expect(await wrong({ ...proof, offer: null })).toEqual({ offerSignature: 'absent' })
    expect(await wrong({ ...proof, receipt: null })).toEqual({ receiptSignature: 'absent' })
    expect(await wrong({ ...proof, offer: null, receipt: null })).toEqual({
      offerSignature: 'absent',
      receiptSignature: 'absent',
      authority: 'absent',
    })
  })

  it('is valid with an answer that was asked for again a day later', async () => {
    expect(await wrong({ ...(await proofBy(byPayTo)), at: at(86_400) })).toEqual({})
  })

  it.each([
    ['https://api.example.com', 'https://api.example.com/'],
    ['HTTPS://API.example.com:443/a#part', 'https://api.example.com/a'],
    ['https://api.example.com/a b', 'https://api.example.com/a%20b'],
    ['mcp+https://api.example.com/mcp#forecast', 'https://api.example.com/mcp'],
    ['mcp+https://api.example.com/mcp#forecast', 'mcp+https://api.example.com/mcp#forecast'],
    ['mcp+stdio://forecasts#forecast', 'mcp://tool/forecast'],
  ])('is valid when %s was called and the seller names %s', async (url, resourceUrl) => {
    const named = { offer: { resourceUrl }, receipt: { resourceUrl } }
    expect(await wrong({ ...(await proofBy(byPayTo, named)), url })).toEqual({})
  })

  it.each([
    ['https://api.example.com/', 'https://api.example.com/a'],
    ['https://api.example.com/', 'no URL'],
    ['mcp+https://api.example.com/mcp#forecast', 'https://api.example.com/other'],
    ['mcp+https://api.example.com/mcp#forecast', 'mcp+https://api.example.com/mcp#other'],
    ['mcp+stdio://forecasts#forecast', 'stdio://forecasts'],
    ['mcp+stdio://forecasts#forecast', 'mcp://tool/other'],
    ['mcp+https://api.example.com/mcp#forecast', 'mcp://tool/other'],
    ['https://tool/forecast', 'mcp://tool/forecast'],
  ])('is not about %s when the seller names %s', async (url, resourceUrl) => {
    const named = { offer: { resourceUrl }, receipt: { resourceUrl } }
    expect(await wrong({ ...(await proofBy(byPayTo, named)), url })).toEqual({ terms: 'invalid' })
  })

  it('is unknown when the seller names a tool of a server and not the server', async () => {
    const resourceUrl = 'mcp://tool/forecast'
    const url = 'mcp+https://api.example.com/mcp#forecast'
    for (const named of [
      { offer: { resourceUrl }, receipt: { resourceUrl } },
      { offer: { resourceUrl: 'https://api.example.com/mcp' }, receipt: { resourceUrl } },
    ]) {
      const proof = { ...(await proofBy(byPayTo, named)), url }
      expect(await wrong(proof)).toEqual({ terms: 'unknown' })
    }
  })

  it('is valid with a receipt that names no transaction', async () => {
    for (const transaction of [undefined, '']) {
      expect(await wrong(await proofBy(byPayTo, { receipt: { transaction } }))).toEqual({})
    }
  })
})

/** Changes a member of what was signed, and leaves the signature. */
function forged(proof: SavedProof, artifact: 'offer' | 'receipt', change: object): SavedProof {
  const [header, payload = '', signature] = (proof[artifact]?.signature ?? '').split('.')
  const members = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const text = Buffer.from(JSON.stringify({ ...members, ...change })).toString('base64url')
  return { ...proof, [artifact]: { format: 'jws', signature: [header, text, signature].join('.') } }
}

/** Seconds after the receipt. */
const at = (seconds: number) => new Date((issuedAt + seconds) * 1_000).toISOString()

const offerMembers = [
  { member: 'resourceUrl', value: 'https://api.example.com/other' },
  { member: 'scheme', value: 'upto' },
  { member: 'network', value: 'stellar:pubnet' },
  { member: 'asset', value: stranger },
  { member: 'payTo', value: stranger },
  { member: 'amount', value: '1' },
] as const
const receiptMembers = [
  { member: 'resourceUrl', value: 'https://api.example.com/other' },
  { member: 'network', value: 'stellar:pubnet' },
  { member: 'payer', value: stranger },
  { member: 'issuedAt', value: issuedAt + 7_200 },
  { member: 'transaction', value: 'cd'.repeat(32) },
] as const

describe('a member of the offer', () => {
  it.each(offerMembers)('$member that was changed fails signature and terms', async (each) => {
    const proof = forged(await proofBy(byPayTo), 'offer', { [each.member]: each.value })
    expect(await wrong(proof)).toEqual({ offerSignature: 'invalid', terms: 'invalid' })
  })

  it.each(offerMembers)('$member that was signed otherwise fails the terms', async (each) => {
    const proof = await proofBy(byPayTo, { offer: { [each.member]: each.value } })
    expect(await wrong(proof)).toEqual({ terms: 'invalid' })
  })

  it('validUntil that was changed fails the signature, and the terms when it had ended', async () => {
    const proof = await proofBy(byPayTo)
    expect(await wrong(forged(proof, 'offer', { validUntil: issuedAt + 9_999 }))).toEqual({
      offerSignature: 'invalid',
    })
    expect(await wrong(forged(proof, 'offer', { validUntil: issuedAt - 7_200 }))).toEqual({
      offerSignature: 'invalid',
      terms: 'invalid',
    })
  })

  it('version that was changed makes it unreadable', async () => {
    expect(await wrong(forged(await proofBy(byPayTo), 'offer', { version: 2 }))).toEqual({
      offerSignature: 'invalid',
      authority: 'invalid',
    })
  })
})

describe('a member of the receipt', () => {
  it.each(receiptMembers)('$member that was changed fails signature and terms', async (each) => {
    const proof = forged(await proofBy(byPayTo), 'receipt', { [each.member]: each.value })
    expect(await wrong(proof)).toEqual({ receiptSignature: 'invalid', terms: 'invalid' })
  })

  it.each(receiptMembers)('$member that was signed otherwise fails the terms', async (each) => {
    const proof = await proofBy(byPayTo, { receipt: { [each.member]: each.value } })
    expect(await wrong(proof)).toEqual({ terms: 'invalid' })
  })
})

describe('a member of the payment', () => {
  it.each([
    { member: 'url', value: 'https://other.example/' },
    { member: 'network', value: 'stellar:pubnet' },
    { member: 'scheme', value: 'upto' },
    { member: 'asset', value: stranger },
    { member: 'payer', value: stranger },
    { member: 'signed', value: '1' },
    { member: 'transaction', value: 'cd'.repeat(32) },
    { member: 'at', value: at(-7_200) },
  ])('$member that was changed fails the terms', async ({ member, value }) => {
    expect(await wrong({ ...(await proofBy(byPayTo)), [member]: value })).toEqual({
      terms: 'invalid',
    })
  })

  it('validUntil that is long after the receipt, as is the answer, fails the terms', async () => {
    const late = { at: at(7_200), validUntil: at(7_260) }
    expect(await wrong({ ...(await proofBy(byPayTo)), ...late })).toEqual({ terms: 'invalid' })
  })

  it('payTo that was changed fails the authority of the key of payTo too', async () => {
    const changed = { payTo: stranger }
    expect(await wrong({ ...(await proofBy(byPayTo)), ...changed })).toEqual({
      authority: 'invalid',
      terms: 'invalid',
    })
    expect(await wrong({ ...(await proofBy(bySite)), ...changed })).toEqual({ terms: 'invalid' })
  })
})

/** The same claims with another header, signed again by the key of payTo or left as they were. */
async function withHeader(change: object, isSigned = true): Promise<SavedProof> {
  const proof = await proofBy(byPayTo)
  const [header = '', payload, signature] = (proof.receipt?.signature ?? '').split('.')
  const members = JSON.parse(Buffer.from(header, 'base64url').toString())
  const text = Buffer.from(JSON.stringify({ ...members, ...change })).toString('base64url')
  const input = `${text}.${payload}`
  const by = isSigned ? await byPayTo.sign(Buffer.from(input)) : signature
  return { ...proof, receipt: { format: 'jws', signature: `${input}.${by}` } }
}

const jwk = (bytes: Uint8Array) => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: Buffer.from(bytes).toString('base64url'),
})

describe('a key', () => {
  it.each([
    { who: 'a stranger', signer: payToSigner(strangersSecret) },
    { who: 'another site', signer: siteSigner({ host: 'evil.example', secret: strangersSecret }) },
    {
      who: 'another port',
      signer: siteSigner({ host: 'api.example.com:8443', secret: strangersSecret }),
    },
  ])('of $who has no authority, although it signed', async ({ signer }) => {
    const document: FetchDocument = async () => ({ document: didDocument(signer) })
    expect(await wrong(await proofBy(signer), document)).toEqual({ authority: 'invalid' })
  })

  it('that the site does not publish is not known', async () => {
    const other = siteSigner({ host: 'api.example.com', name: 'old', secret: strangersSecret })
    const unknown = { offerSignature: 'unknown', receiptSignature: 'unknown', authority: 'unknown' }
    expect(await wrong(await proofBy(other))).toEqual(unknown)
    expect(await wrong(await proofBy(bySite), away)).toEqual(unknown)
  })

  it('under the same name with other bytes fails the signature', async () => {
    const swapped = siteSigner({ host: 'api.example.com', secret: secret })
    const document: FetchDocument = async () => ({ document: didDocument(swapped) })
    expect(await wrong(await proofBy(bySite), document)).toEqual({
      offerSignature: 'invalid',
      receiptSignature: 'invalid',
    })
  })

  it('in the document of another site does not count', async () => {
    const document: FetchDocument = async () => ({
      document: { ...didDocument(bySite), id: 'did:web:evil.example' },
    })
    expect(await wrong(await proofBy(bySite), document)).toMatchObject({ authority: 'unknown' })
  })

  it('in the header counts if it is that of kid', async () => {
    expect(await wrong(await withHeader({ jwk: jwk(byPayTo.publicKey) }))).toEqual({})
    expect(await wrong(await withHeader({ jwk: jwk(bySite.publicKey) }))).toEqual({
      receiptSignature: 'invalid',
    })
  })

  it('in the header alone proves the signature, and no authority', async () => {
    const kid = 'did:pkh:stellar:testnet:G'
    expect(await wrong(await withHeader({ kid, jwk: jwk(byPayTo.publicKey) }))).toEqual({
      authority: 'unknown',
    })
  })
})

describe('a header', () => {
  it.each([
    { change: { alg: 'none' }, state: 'unknown' },
    { change: { alg: 'HS256' }, state: 'unknown' },
    { change: { crit: ['b64'], b64: false }, state: 'invalid' },
  ])('with $change is no valid signature', async ({ change, state }) => {
    expect(await wrong(await withHeader(change))).toEqual({ receiptSignature: state })
  })

  it('that was changed fails the signature', async () => {
    expect(await wrong(await withHeader({ typ: 'JWT' }, false))).toEqual({
      receiptSignature: 'invalid',
    })
  })
})

it.each(['', 'a.b', 'a.b.c.d', '..', 'e30.e30.', '!.!.!', 'e30.e30.AA=='])(
  'text that is no JWS, such as %j, is invalid',
  async (signature) => {
    const proof = { ...(await proofBy(byPayTo)), receipt: { format: 'jws' as const, signature } }
    expect(await wrong(proof)).toEqual({ receiptSignature: 'invalid', authority: 'invalid' })
  },
)

describe('exitOf', () => {
  const because = ''
  const all = (state: Verdicts['terms']['state']): Verdicts => ({
    offerSignature: { state, because },
    receiptSignature: { state, because },
    authority: { state, because },
    terms: { state, because },
    ledger: { state, because },
  })
  const valid = all('valid')
  it.each([
    { verdicts: valid, exit: 0 },
    {
      verdicts: { ...valid, offerSignature: all('absent').terms, ledger: all('absent').terms },
      exit: 0,
    },
    { verdicts: { ...valid, ledger: all('unknown').terms }, exit: 2 },
    { verdicts: { ...valid, receiptSignature: all('absent').terms }, exit: 2 },
    { verdicts: { ...all('unknown'), terms: all('invalid').terms }, exit: 1 },
  ])('is $exit', ({ verdicts, exit }) => expect(exitOf(verdicts)).toBe(exit))
})
