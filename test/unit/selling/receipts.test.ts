import * as stock from '@x402/extensions/offer-receipt'
import * as newest from '@x402/extensions-next/offer-receipt'
import { describe, expect, it } from 'vitest'
import { readOffer, readReceipt } from '../../../src/buying/proof/artifacts.ts'
import { readKid } from '../../../src/buying/proof/key-of-kid.ts'
import { keyOfMultibase } from '../../../src/platform/core/text/did-key.ts'
import { declareReceipts, receipts } from '../../../src/selling/receipts/extension.ts'
import { signOffer, signReceipt } from '../../../src/selling/receipts/issue.ts'
import { toolTransport } from '../../../src/selling/receipts/served-url.ts'
import { didDocument, payToSigner, siteSigner } from '../../../src/selling/receipts/signer.ts'
import { byPayTo, bySite, offered, payTo, received, secret } from '../../support/receipts.ts'

/* The key is the first one of RFC 8032; its did:key is the one that the method's own examples give. */
const DID_KEY = 'did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw'
const PUBLIC_KEY = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'

describe('a signer with the key of payTo', () => {
  it('names the key by its did:key, which has the same bytes as the address', () => {
    expect(byPayTo.kid).toBe(`${DID_KEY}#${DID_KEY.slice(8)}`)
    expect(Buffer.from(keyOfMultibase(DID_KEY.slice(8)) ?? []).toString('hex')).toBe(PUBLIC_KEY)
  })

  it('signs the same text for the same offer, as a vector says', async () => {
    const { signature } = await signOffer(byPayTo, {
      ...offered,
      resourceUrl: 'https://api.example.com/a?b=é',
      payTo: 'GDLVVGABQKYQVN5VJP7NHSLEA4HH7OQ63GMAOHJIZ2BFIEXQ7PKRVQYY',
      validUntil: 1796000300,
    })
    expect(signature).toBe(
      'eyJhbGciOiJFZERTQSIsImtpZCI6ImRpZDprZXk6ejZNa3R3dXBkbUxYVlZxVHpDdzRpNDZyNHVHeW9zR1hSblIzWGpONFpxN29NTXN3I3o2TWt0d3VwZG1MWFZWcVR6Q3c0aTQ2cjR1R3lvc0dYUm5SM1hqTjRacTdvTU1zdyJ9.eyJhbW91bnQiOiIxMDAwMDAiLCJhc3NldCI6IkNCSUVMVEs2WUJaSlU1VVAyV1dRRVVDWUtMUFU2QVVOWjJCUTRXV0ZFSUUzVVNDSUhNWFFEQU1BIiwibmV0d29yayI6InN0ZWxsYXI6dGVzdG5ldCIsInBheVRvIjoiR0RMVlZHQUJRS1lRVk41VkpQN05IU0xFQTRISDdPUTYzR01BT0hKSVoyQkZJRVhRN1BLUlZRWVkiLCJyZXNvdXJjZVVybCI6Imh0dHBzOi8vYXBpLmV4YW1wbGUuY29tL2E_Yj3DqSIsInNjaGVtZSI6ImV4YWN0IiwidmFsaWRVbnRpbCI6MTc5NjAwMDMwMCwidmVyc2lvbiI6MX0.eiJHECaSFU61a9OWiBI0Nke-6ta5eCQFlLFcKhknVhjWXAWRkkHX4dRZcacEIB8-WAORluxuNeP6sfV1v9UlAQ',
    )
  })

  it.each(['', 'S', secret.slice(0, -1), payTo])(
    'refuses the secret %j without repeating it',
    (text) => {
      expect(() => payToSigner(text)).toThrow(/not a secret seed/)
    },
  )
})

describe('a signer with the key of a site', () => {
  it('is named by the site, which publishes the key', () => {
    const signer = siteSigner({ host: 'API.example.com:8443', name: 'key-1', secret })
    expect(signer.kid).toBe('did:web:api.example.com%3A8443#key-1')
    expect(readKid(signer.kid)).toMatchObject({ kind: 'site', host: 'api.example.com:8443' })
    expect(didDocument(signer)).toMatchObject({
      id: 'did:web:api.example.com%3A8443',
      verificationMethod: [
        {
          id: signer.kid,
          publicKeyJwk: {
            kty: 'OKP',
            crv: 'Ed25519',
            x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
          },
        },
      ],
    })
  })

  it.each([
    { host: 'api.example.com/path' },
    { host: 'https://api.example.com' },
    { host: '' },
    { host: 'api.example.com', name: 'a#b' },
  ])('refuses $host $name', (site) => {
    expect(() => siteSigner({ ...site, secret })).toThrow(RangeError)
  })
})

describe.each([
  { release: '2.9', upstream: stock },
  { release: '2.27', upstream: newest as unknown as typeof stock },
])('the stock helpers of $release', ({ upstream }) => {
  it('verify what is signed here', async () => {
    const [offer, receipt] = [
      await signOffer(byPayTo, offered),
      await signReceipt(byPayTo, received),
    ]
    expect(await upstream.verifyOfferSignatureJWS(offer)).toEqual({ version: 1, ...offered })
    expect(await upstream.verifyReceiptSignatureJWS(receipt)).toEqual({ version: 1, ...received })
  })

  it('sign with these signers what is read here', async () => {
    const issuer = upstream.createJWSOfferReceiptIssuer(byPayTo.kid, byPayTo)
    const { resourceUrl, payer, network, transaction } = received
    const offer = await issuer.issueOffer(resourceUrl, { ...offered, acceptIndex: 0 })
    const receipt = await issuer.issueReceipt(resourceUrl, payer, network, transaction)
    if (offer.format !== 'jws' || receipt.format !== 'jws') throw new Error('not in JWS')
    const { validUntil: _, ...terms } = offered
    expect(readOffer(offer)).toMatchObject({ alg: 'EdDSA', kid: byPayTo.kid, payload: terms })
    const { issuedAt: __, ...others } = received
    expect(readReceipt(receipt)).toMatchObject({ kid: byPayTo.kid, payload: others })
  })

  it('sign the URL of a tool in their own extension too', async () => {
    const issuer = upstream.createJWSOfferReceiptIssuer(byPayTo.kid, byPayTo)
    const settled = await upstream
      .createOfferReceiptExtension(issuer)
      .enrichSettlementResponse?.(declaration, {
        ...context,
        transportContext: toolTransport('mcp://tool/forecast'),
      })
    const { receipt } = (settled as { info: { receipt: never } }).info
    expect(readReceipt(receipt)?.payload.resourceUrl).toBe('mcp://tool/forecast')
  })

  it('read the messages of a server with this extension', async () => {
    const required = await enriched().enrichPaymentRequiredResponse?.(declaration, context)
    const found = upstream.extractOffersFromPaymentRequired({
      ...{ x402Version: 2, resource: { url: '' }, accepts: [] },
      extensions: { 'offer-receipt': required },
    } as never)
    expect(upstream.decodeSignedOffers(found)).toMatchObject([{ ...offered, acceptIndex: 0 }])
    const settled = await enriched().enrichSettlementResponse?.(declaration, context)
    const header = Buffer.from(
      JSON.stringify({ success: true, extensions: { 'offer-receipt': settled } }),
    )
    const receipt = upstream.extractReceiptFromResponse(
      new Response('', { headers: { 'payment-response': header.toString('base64') } }),
    )
    expect(receipt && upstream.extractReceiptPayload(receipt)).toEqual({ version: 1, ...received })
  })
})

const declaration = declareReceipts()['offer-receipt']
const enriched = () =>
  receipts({
    signer: byPayTo,
    origin: 'https://api.example.com/',
    now: () => received.issuedAt * 1_000 + 999,
  })
// biome-ignore lint/suspicious/noExplicitAny: the members that the extension reads
const context: any = {
  requirements: [{ ...offered, maxTimeoutSeconds: 60 }],
  resourceInfo: { url: 'https://payer.example/chosen' },
  paymentPayload: { resource: { url: 'https://payer.example/chosen' } },
  result: { success: true, ...received },
  transportContext: {
    request: { adapter: { getUrl: () => 'http://evil.example:99/weather?city=Bremen' } },
  },
}

describe('the extension', () => {
  it('signs the URL of its own site, whatever Host and payment say', async () => {
    const answer = await enriched().enrichSettlementResponse?.(declaration, context)
    const { receipt } = (answer as { info: { receipt: never } }).info
    expect(readReceipt(receipt)?.payload.resourceUrl).toBe(received.resourceUrl)
  })

  it('signs the URL of a tool as its seller wrote it, also without an origin', async () => {
    const transportContext = toolTransport('mcp://tool/forecast')
    const asked = { ...context, transportContext }
    const tools = receipts({ signer: byPayTo })
    const priced = await tools.enrichPaymentRequiredResponse?.(declaration, asked)
    const settled = await enriched().enrichSettlementResponse?.(declaration, asked)
    const { offers } = (priced as { info: { offers: readonly never[] } }).info
    const { receipt } = (settled as { info: { receipt: never } }).info
    const named = [...offers.map(readOffer), readReceipt(receipt)]
    expect(named.map((each) => each?.payload.resourceUrl)).toEqual(
      Array(2).fill('mcp://tool/forecast'),
    )
  })

  it('signs no resource over HTTP without an origin, and says why', async () => {
    const answer = receipts({ signer: byPayTo }).enrichSettlementResponse?.(declaration, context)
    await expect(answer).rejects.toThrow('receipts of resources over HTTP need an origin')
  })

  it('leaves out the transaction when the route says so', async () => {
    const declared = declareReceipts({ includeTxHash: false })['offer-receipt']
    const answer = await enriched().enrichSettlementResponse?.(declared, context)
    const { receipt } = (answer as { info: { receipt: never } }).info
    expect(readReceipt(receipt)?.payload).not.toHaveProperty('transaction')
  })

  it.each([
    { when: 'the payment failed', change: { result: { success: false, ...received } } },
    {
      when: 'the payer is not known',
      change: { result: { ...received, success: true, payer: undefined } },
    },
    { when: 'the server does not say what was called', change: { transportContext: undefined } },
  ])('signs no receipt when $when', async ({ change }) => {
    expect(
      await enriched().enrichSettlementResponse?.(declaration, { ...context, ...change }),
    ).toBeUndefined()
  })

  it('refuses an origin that is none', () => {
    expect(() => receipts({ signer: bySite, origin: 'api.example.com' })).toThrow(TypeError)
    expect(() => receipts({ signer: bySite, origin: 'data:,x' })).toThrow(TypeError)
  })
})
