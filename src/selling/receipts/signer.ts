import { multibaseOfKey } from '../../platform/core/text/did-key.ts'
import { type Signer, signerFromSecret } from '../../stellar/accounts/signer.ts'

/**
 * Signs offers and receipts with the seller's own key. The issuers of `@x402/extensions` take it too
 * (`createJWSOfferReceiptIssuer(signer.kid, signer)`).
 */
export interface ReceiptSigner {
  /** The DID URL that names the key. */
  readonly kid: string
  readonly format: 'jws'
  readonly algorithm: 'EdDSA'
  /** The raw Ed25519 key, 32 bytes. */
  readonly publicKey: Uint8Array
  /** The signature in base64url. */
  sign(bytes: Uint8Array): Promise<string>
}

/**
 * Signs with the key of the account that is paid: buyers compare it with `payTo`, and nothing has to be published. The `kid` is
 * the `did:key` of the 32 bytes that are in the `G...` address too. Whoever has this key has the account, so a key for signatures
 * alone, of `siteSigner`, is safer.
 * @param secret `S...`, of the account in `payTo`. Throws RangeError for a malformed one; the error does not repeat it.
 */
export function payToSigner(secret: string): ReceiptSigner {
  const signer = signerFromSecret(secret)
  const name = multibaseOfKey(signer.publicKey)
  return receiptSigner(`did:key:${name}#${name}`, signer)
}

export interface SiteKey {
  /** Host of the resources, with its port if the URL has one: `api.example.com`. */
  readonly host: string
  /** Of the key in the site's document. @default 'receipts' */
  readonly name?: string | undefined
  /** `S...`; `svc wallet` makes one. It needs no account on the ledger. */
  readonly secret: string
}

/**
 * Signs with a key of its own, which the site publishes at `https://<host>/.well-known/did.json`: see `didDocument`. The `kid` is
 * `did:web:<host>#<name>`. Throws RangeError for a malformed secret, and for a host or name that a DID cannot hold.
 */
export function siteSigner({ host, name = 'receipts', secret }: SiteKey): ReceiptSigner {
  if (!/^[A-Za-z0-9.-]+(:\d{1,5})?$/.test(host)) throw new RangeError('host must be a host name')
  if (!/^[A-Za-z0-9._-]+$/.test(name)) {
    throw new RangeError('name must have letters, digits, dots, hyphens and underscores only')
  }
  const did = `did:web:${host.toLowerCase().replace(':', '%3A')}`
  return receiptSigner(`${did}#${name}`, signerFromSecret(secret))
}

/** The document that a site with this signer publishes at `/.well-known/did.json`. Keep old keys in it while receipts matter. */
export function didDocument(...signers: readonly [ReceiptSigner, ...ReceiptSigner[]]): object {
  const [did = ''] = signers[0].kid.split('#')
  return {
    '@context': ['https://www.w3.org/ns/did/v1'],
    id: did,
    verificationMethod: signers.map(({ kid, publicKey }) => ({
      id: kid,
      type: 'JsonWebKey2020',
      controller: did,
      publicKeyJwk: {
        kty: 'OKP',
        crv: 'Ed25519',
        x: Buffer.from(publicKey).toString('base64url'),
      },
    })),
    assertionMethod: signers.map(({ kid }) => kid),
  }
}

const receiptSigner = (kid: string, { publicKey, sign }: Signer): ReceiptSigner => ({
  kid,
  format: 'jws',
  algorithm: 'EdDSA',
  publicKey,
  sign: async (bytes) => Buffer.from(sign(bytes)).toString('base64url'),
})
