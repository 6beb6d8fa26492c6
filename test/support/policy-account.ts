import { type Keypair, xdr } from '@stellar/stellar-sdk'
import { addressValue } from './payments.ts'

/** Signers and context rules for the constructor of `policy-account`; the limit follows. Without a signer its policies alone decide. */
export const policyAccountArgs = (
  signer: Keypair | undefined,
  rule: { readonly contract: string; readonly policies: readonly string[] },
): xdr.ScVal[] => [
  xdr.ScVal.scvVec(signer ? [xdr.ScVal.scvBytes(signer.rawPublicKey())] : []),
  xdr.ScVal.scvVec([
    xdr.ScVal.scvMap([
      member('contract', addressValue(rule.contract)),
      member('policies', xdr.ScVal.scvVec(rule.policies.map(addressValue))),
    ]),
  ]),
]

const member = (name: string, val: xdr.ScVal) =>
  new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol(name), val })
