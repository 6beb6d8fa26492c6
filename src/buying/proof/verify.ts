import type { SignedArtifact } from '../../payments/protocol/offer-receipt.ts'
import { verifyBytes } from '../../stellar/accounts/ed25519.ts'
import { addressOf, baseAddress } from '../../stellar/accounts/strkey.ts'
import { type Artifact, readOffer, readReceipt } from './artifacts.ts'
import type { SavedProof } from './saved-proof.ts'
import { type FetchDocument, type SignerKey, signerKey } from './signer-key.ts'
import { isServerUnnamed, wrongTerms } from './terms.ts'

/**
 * `valid` and `invalid` are proven. `unknown`: it could not be found out. `absent`: the seller signed no such thing, or the check was
 * not asked for.
 */
export interface Verdict {
  readonly state: 'valid' | 'invalid' | 'unknown' | 'absent'
  /** A sentence without its end. */
  readonly because: string
}

/**
 * `site`: the site of the resource publishes the key. `payTo`: the account that was paid has it, which is about the site only for a buyer
 * who had that account from the site itself: anybody can pay itself, and sign that it was for the resource of another one.
 */
type AuthorizedBy = 'site' | 'payTo'

/** Each answers a question of its own; none implies another. */
export interface Verdicts {
  /** Whether the named key signed the offer as it is. */
  readonly offerSignature: Verdict
  readonly receiptSignature: Verdict
  /** Whether these keys may sign for the resource. */
  readonly authority: Verdict & { readonly by?: AuthorizedBy }
  /** Whether offer and receipt are about this payment. */
  readonly terms: Verdict
  /** Whether the ledger has this payment. */
  readonly ledger: Verdict
}

interface VerifyDeps {
  readonly fetchDocument: FetchDocument
  /** Looks the payment up. @default the ledger is not asked */
  readonly ledger?: ((proof: SavedProof) => Promise<Verdict>) | undefined
}

/** Checks what a buyer has kept of a paid call. */
export async function verifyProof(
  proof: SavedProof,
  { fetchDocument, ledger }: VerifyDeps,
): Promise<Verdicts> {
  const offer = await checked(proof.offer, readOffer, fetchDocument)
  const receipt = await checked(proof.receipt, readReceipt, fetchDocument)
  const payloads = [offer?.artifact?.payload, receipt?.artifact?.payload] as const
  return {
    offerSignature: signatureOf(offer),
    receiptSignature: signatureOf(receipt),
    authority: authorityOf(
      proof,
      [offer, receipt].filter((each) => each !== undefined),
    ),
    terms: termsOf(proof, payloads),
    ledger: (await ledger?.(proof)) ?? { state: 'absent', because: 'the ledger was not asked' },
  }
}

function termsOf(proof: SavedProof, payloads: Parameters<typeof wrongTerms>[1]): Verdict {
  const wrong = wrongTerms(proof, payloads)
  if (wrong.length > 0) return { state: 'invalid', because: wrong.join('; ') }
  return isServerUnnamed(proof, payloads)
    ? { state: 'unknown', because: 'they name this tool, payment and payer, and not the server' }
    : { state: 'valid', because: 'they name this resource, payment and payer' }
}

interface Checked<Payload> {
  /** Undefined when it cannot be read. */
  readonly artifact: Artifact<Payload> | undefined
  readonly key?: SignerKey
}

/** Undefined when there is none. */
async function checked<Payload>(
  signed: SignedArtifact | null,
  read: (signed: SignedArtifact) => Artifact<Payload> | undefined,
  fetchDocument: FetchDocument,
): Promise<Checked<Payload> | undefined> {
  if (!signed) return undefined
  const artifact = read(signed)
  return artifact
    ? { artifact, key: await signerKey(artifact.jws.header, fetchDocument) }
    : { artifact }
}

function signatureOf(of: Checked<unknown> | undefined): Verdict {
  if (!of) return { state: 'absent', because: 'the seller signed none' }
  const { artifact, key } = of
  if (!artifact || !key) return { state: 'invalid', because: 'it is no JWS of version 1' }
  const { jws, alg } = artifact
  if (alg !== 'EdDSA') return { state: 'unknown', because: 'its algorithm is not EdDSA' }
  if (jws.header['crit'] !== undefined)
    return { state: 'invalid', because: 'it needs an extension of JWS that is not known here' }
  if (key.contradicts)
    return { state: 'invalid', because: 'the key in its header is not the one that kid names' }
  if (!key.publicKey) return { state: 'unknown', because: key.problem ?? 'the key is not known' }
  const isSigned = verifyBytes(Buffer.from(jws.signingInput, 'ascii'), key.publicKey, jws.signature)
  return isSigned
    ? { state: 'valid', because: `signed by ${artifact.kid}` }
    : { state: 'invalid', because: 'the signature is not of this text and key' }
}

interface Named {
  readonly resourceUrl: string
}

function authorityOf(proof: SavedProof, all: readonly Checked<Named>[]): Verdicts['authority'] {
  if (all.length === 0) return { state: 'absent', because: 'there is no signature' }
  const verdicts = all.map(({ artifact, key }): Verdicts['authority'] => {
    if (!artifact || !key) return { state: 'invalid', because: 'a signature cannot be read' }
    return authorityOfKey(artifact.payload, key, proof)
  })
  const worst = (['invalid', 'unknown'] as const).flatMap((state) =>
    verdicts.filter((verdict) => verdict.state === state),
  )
  // Of two valid keys that of payTo says less.
  const weakest = worst[0] ?? verdicts.find(({ by }) => by === 'payTo') ?? verdicts[0]
  return weakest ?? { state: 'absent', because: 'there is no signature' }
}

function authorityOfKey(
  { resourceUrl }: Named,
  { named, isResolved, publicKey, problem }: SignerKey,
  { payTo }: SavedProof,
): Verdicts['authority'] {
  if (named?.kind === 'site') {
    const host = URL.parse(resourceUrl)?.host
    if (named.host !== host)
      return { state: 'invalid', because: `the key is of ${named.host}, and the resource is not` }
    // A path belongs to whoever may write there, which need not be the site.
    if (named.document.pathname !== '/.well-known/did.json')
      return { state: 'invalid', because: 'the key is of a part of the site alone' }
    return isResolved
      ? { state: 'valid', because: `${named.document} has the key`, by: 'site' }
      : { state: 'unknown', because: problem ?? 'the document of the site is not known' }
  }
  if (!isResolved || !publicKey)
    return { state: 'unknown', because: problem ?? 'the key is not known' }
  return addressOf(publicKey) === baseAddress(payTo)
    ? {
        state: 'valid',
        because:
          'the key is that of the account that was paid, which need not be of the site of the resource',
        by: 'payTo',
      }
    : {
        state: 'invalid',
        because:
          'the key is neither that of payTo nor one of the site; records of DNS and registries are not looked at',
      }
}
