import type { SavedProof } from '../../src/buying/proof/saved-proof.ts'
import { signOffer, signReceipt } from '../../src/selling/receipts/issue.ts'
import type { ReceiptSigner } from '../../src/selling/receipts/signer.ts'
import { payToSigner, siteSigner } from '../../src/selling/receipts/signer.ts'
import { secretOfSeed, signerFromSeed } from '../../src/stellar/accounts/signer.ts'
import { usdc } from './payments.ts'

/** The first key of RFC 8032. */
const SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex')
export const secret = secretOfSeed(SEED)
export const payTo = signerFromSeed(SEED).address
export const strangersSecret = secretOfSeed(Buffer.alloc(32, 7))
const payer = signerFromSeed(Buffer.alloc(32, 9)).address

const url = 'https://api.example.com/weather?city=Bremen'
export const issuedAt = 1_796_000_000
const transaction = 'ab'.repeat(32)

export const byPayTo = payToSigner(secret)
export const bySite = siteSigner({ host: 'api.example.com', secret: strangersSecret })

export const offered = {
  resourceUrl: url,
  scheme: 'exact',
  network: 'stellar:testnet',
  asset: usdc,
  payTo,
  amount: '100000',
  validUntil: issuedAt + 300,
}
export const received = {
  resourceUrl: url,
  network: 'stellar:testnet',
  payer,
  issuedAt,
  transaction,
}

/** What a buyer has kept of a call whose offer and receipt this signer has signed. */
export const proofBy = async (
  signer: ReceiptSigner,
  changes: { readonly offer?: object; readonly receipt?: object } = {},
): Promise<SavedProof> => ({
  url,
  network: 'stellar:testnet',
  scheme: 'exact',
  asset: usdc,
  payTo,
  payer,
  signed: '100000',
  amount: '100000',
  transaction,
  at: new Date(issuedAt * 1_000).toISOString(),
  validUntil: new Date((issuedAt + 60) * 1_000).toISOString(),
  offer: await signOffer(signer, { ...offered, ...changes.offer }),
  receipt: await signReceipt(signer, { ...received, ...changes.receipt }),
})
