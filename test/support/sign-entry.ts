import { authorizeEntry, type Keypair, xdr } from '@stellar/stellar-sdk'
import { privateKeyOf, signBytes } from '../../src/stellar/accounts/ed25519.ts'

/**
 * Signs an authorization entry as a client of the SDK does, until the ledger that it names. Node makes the signature:
 * the SDK would make and verify it in JavaScript, which was half of the time of a payment in the tests.
 */
export const signEntry = (
  entry: xdr.SorobanAuthorizationEntry,
  key: Keypair,
  { expirationLedger, passphrase }: { expirationLedger: number; passphrase: string },
): Promise<xdr.SorobanAuthorizationEntry> =>
  authorizeEntry(
    entry,
    async (_preimage, payload) => ({ signatureScVal: signatureOf(payload, key) }),
    expirationLedger,
    passphrase,
  )

/** In the form in which accounts, and the smart accounts of the tests, expect it. */
function signatureOf(payload: Uint8Array, key: Keypair): xdr.ScVal {
  const signature = signBytes(payload, privateKeyOf(key.rawSecretKey()))
  const members = { public_key: key.rawPublicKey(), signature }
  const entries = Object.entries(members).map(
    ([name, bytes]) =>
      new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol(name), val: xdr.ScVal.scvBytes(bytes) }),
  )
  return xdr.ScVal.scvVec([xdr.ScVal.scvMap(entries)])
}
