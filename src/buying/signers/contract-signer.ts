import { hash, xdr } from '@stellar/stellar-sdk'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'
import { rpcClient } from '../../stellar/rpc/rpc-client.ts'
import type { AccountKey, Ed25519Key } from './account-key.ts'
import { AccountRefusal } from './account-refusal.ts'
import type { AccountSignature, AccountSigner } from './account-signer.ts'
import { type SigningByRules, signByRules } from './auth-payload.ts'
import { type ChosenRule, chooseRules } from './context-rules.ts'
import { isOnThisMachine } from './last-ledger.ts'
import { passkeySignature } from './passkey-signature.ts'
import { structValue } from './sc-values.ts'
import { type SignatureForm, signatureForm } from './signature-form.ts'

export interface ContractAccount {
  /** `C...` */
  readonly address: string
  readonly key: AccountKey
  /** Stellar RPC over https of the network on which it pays, from which what its contract takes is read. */
  readonly url: string
}

/** How the account takes a signature of the calls. */
type Prepared =
  | { readonly form: Exclude<SignatureForm, 'context_rules'> }
  | { readonly form: 'context_rules'; readonly rules: readonly ChosenRule[] }

interface OpenAccount extends Pick<ContractAccount, 'address' | 'key'> {
  readonly rpc: Pick<StellarRpc, 'latestLedger' | 'ledgerEntries' | 'simulate'>
}

/** Signs for a contract account, as its contract declares that it takes signatures. Throws RangeError for an invalid URL. */
export function contractSigner({ address, key, url }: ContractAccount): AccountSigner {
  const rpc = rpcClient({ url, allowHttp: isOnThisMachine(url) })
  const account = { address, key, rpc }
  /** By the XDR of the calls. */
  const prepared = new Map<string, Prepared>()
  return {
    address,
    prepare: async (invocation) => {
      prepared.set(invocation.toXdr('base64'), await prepare(account, invocation))
    },
    signAuthEntry: async (base64, { networkPassphrase: passphrase = '' } = {}) => {
      const preimage = xdr.HashIdPreimage.fromXdr(base64, 'base64')
      if (preimage.type !== 'envelopeTypeSorobanAuthorization') {
        throw new AccountRefusal('wrong_key', 'what is to be signed authorizes no call')
      }
      const { invocation, signatureExpirationLedger } = preimage.sorobanAuthorization
      const calls = invocation.toXdr('base64')
      const known = prepared.get(calls) ?? (await prepare(account, invocation))
      prepared.delete(calls)
      const payload = hash(preimage.toXdr())
      const validity = { expirationLedger: signatureExpirationLedger, passphrase }
      return sign(account, known, { payload, ...validity })
    },
  }
}

/** Throws AccountRefusal and `RpcError`. */
async function prepare(
  { address, key, rpc }: OpenAccount,
  invocation: xdr.SorobanAuthorizedInvocation,
): Promise<Prepared> {
  const form = await signatureForm(rpc, address)
  if (form === 'context_rules') {
    return { form, rules: await chooseRules(rpc, address, key, callsIn(invocation)) }
  }
  const wanted = algorithms[form]
  if (key.algorithm === wanted) return { form }
  throw new AccountRefusal(
    'wrong_key',
    `the account ${address} takes signatures of ${names[wanted]}, and the key is of ${names[key.algorithm]}`,
  )
}

const algorithms = { ed25519: 'ed25519', passkey: 'p256' } as const
const names = { ed25519: 'ed25519', p256: 'P-256' } as const

/** In the order in which the ledger asks the account about them. */
function callsIn({
  function: invoked,
  subInvocations,
}: xdr.SorobanAuthorizedInvocation): xdr.InvokeContractArgs[] {
  const own = invoked.type === 'sorobanAuthorizedFunctionTypeContractFn' ? [invoked.contractFn] : []
  return [...own, ...subInvocations.flatMap(callsIn)]
}

async function sign(
  { address, key }: OpenAccount,
  known: Prepared,
  asked: Pick<SigningByRules, 'payload' | 'expirationLedger' | 'passphrase'>,
): Promise<AccountSignature> {
  if (known.form === 'context_rules') {
    return signByRules({ ...asked, address, key, rules: known.rules })
  }
  const { payload } = asked
  const value =
    key.algorithm === 'ed25519'
      ? listedSignature(key, payload)
      : passkeySignature(await key.assert(payload))
  return { signedAuthEntry: value.toXdr('base64') }
}

/** As a classic account has it, in a list of one. */
const listedSignature = (key: Ed25519Key, payload: Uint8Array): xdr.ScVal =>
  xdr.ScVal.scvVec([
    structValue({
      public_key: xdr.ScVal.scvBytes(key.publicKey),
      signature: xdr.ScVal.scvBytes(key.sign(payload)),
    }),
  ])
