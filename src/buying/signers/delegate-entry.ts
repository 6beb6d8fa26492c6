import { hash, xdr } from '@stellar/stellar-sdk'
import { addressOf } from '../../stellar/accounts/strkey.ts'
import type { Ed25519Key } from './account-key.ts'
import { authorize, callOf, invocationOf, randomNonce } from './authorized-call.ts'

interface Delegate {
  /** Of the contract account, `C...`. */
  readonly address: string
  /** Of the account `G...` to which it delegates. */
  readonly key: Ed25519Key
  /** What its signers sign. */
  readonly digest: Uint8Array
  readonly expirationLedger: number
  readonly passphrase: string
}

/** The account to which a contract account delegates authorizes the check of one digest, and nothing else. Base64 XDR. */
export async function delegateEntry({ address, key, digest, ...validity }: Delegate) {
  const delegate = {
    address: addressOf(key.publicKey),
    signAuthEntry: async (preimage: string) => {
      const payload = hash(Buffer.from(preimage, 'base64'))
      return { signedAuthEntry: Buffer.from(key.sign(payload)).toString('base64') }
    },
  }
  const check = invocationOf(callOf(address, '__check_auth', [xdr.ScVal.scvBytes(digest)]))
  const entries = await authorize(delegate, check, { ...validity, nonce: randomNonce() })
  return entries.map((each) => each.toXdr('base64'))
}
