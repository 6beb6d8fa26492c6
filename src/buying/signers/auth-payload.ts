/**
 * The signature of an account with context rules: who signed, and the rule of each call. Signers sign a digest that has the rules in
 * it: https://docs.openzeppelin.com/stellar-contracts/accounts/signers-and-verifiers.
 */
import { hash, xdr } from '@stellar/stellar-sdk'
import type { AccountKey } from './account-key.ts'
import type { AccountSignature } from './account-signer.ts'
import type { ChosenRule } from './context-rules.ts'
import { delegateEntry } from './delegate-entry.ts'
import { passkeySignature } from './passkey-signature.ts'
import { isSame, itemsOf, structValue } from './sc-values.ts'

export interface SigningByRules {
  /** Of the account, `C...`. */
  readonly address: string
  readonly key: AccountKey
  /** One for each call. */
  readonly rules: readonly ChosenRule[]
  /** What the ledger asks the account to have signed, 32 bytes. */
  readonly payload: Uint8Array
  readonly expirationLedger: number
  readonly passphrase: string
}

export async function signByRules(signing: SigningByRules): Promise<AccountSignature> {
  const { key, rules, payload } = signing
  const ids = xdr.ScVal.scvVec(rules.map(({ id }) => xdr.ScVal.scvU32(id)))
  const digest = hash(Buffer.concat([payload, ids.toXdr()]))
  const signers = distinct(rules.map(({ signer }) => signer))
  const entries = await Promise.all(
    signers.map(async (signer) => {
      const val = xdr.ScVal.scvBytes(isDelegated(signer) ? NOTHING : await signatureOf(key, digest))
      return new xdr.ScMapEntry({ key: signer, val })
    }),
  )
  const value = structValue({ context_rule_ids: ids, signers: xdr.ScVal.scvMap(entries) })
  const signedAuthEntry = value.toXdr('base64')
  if (key.algorithm !== 'ed25519' || !signers.some(isDelegated)) return { signedAuthEntry }
  return { signedAuthEntry, furtherEntries: await delegateEntry({ ...signing, key, digest }) }
}

/** The account of a delegate authorizes by itself. */
const NOTHING = new Uint8Array()

/** The bytes that a verifier takes: of ed25519 the signature itself, of a passkey the XDR of the assertion. */
const signatureOf = async (key: AccountKey, digest: Uint8Array): Promise<Uint8Array> =>
  key.algorithm === 'ed25519'
    ? key.sign(digest)
    : passkeySignature(await key.assert(digest)).toXdr()

function isDelegated(signer: xdr.ScVal): boolean {
  const [name] = itemsOf(signer)
  return name?.type === 'scvSymbol' && name.sym.toString() === 'Delegated'
}

/** In the order in which the ledger has the keys of a map: `Delegated` is before `External`, then by what they hold. */
const distinct = (signers: readonly xdr.ScVal[]): readonly xdr.ScVal[] =>
  signers
    .filter((each, at) => signers.findIndex((other) => isSame(each, other)) === at)
    .sort((one, other) => Buffer.compare(one.toXdr(), other.toXdr()))
