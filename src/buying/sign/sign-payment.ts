import { x402Client } from '@x402/core/client'
import type { PaymentPayload } from '@x402/core/types'
import { createEd25519Signer } from '@x402/stellar'
import { ExactStellarScheme } from '@x402/stellar/exact/client'
import type { SchemeName } from '../../payments/protocol/schemes.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { withTimeLimit } from '../../platform/core/time/time-limit.ts'
import type { Offer } from '../offer/offer.ts'
import { PayFailure } from '../outcome/pay-failure.ts'
import type { Quote } from '../quote/quote.ts'
import { readAccountKey } from '../signers/account-key.ts'
import { AccountRefusal } from '../signers/account-refusal.ts'
import type { AccountSigner } from '../signers/account-signer.ts'
import { contractSigner } from '../signers/contract-signer.ts'
import { ExactAccountScheme } from '../signers/exact-scheme.ts'
import { RefusedOffer, UptoStellarScheme } from '../upto/client.ts'
import { oneSignature, type SignatureTrace, type SigningLimits } from './one-signature.ts'
import { transferSigner } from './transfer-signer.ts'
import { whyNotSigned } from './why-not-signed.ts'

/** The buyer's signer, and the network on which it pays. */
export interface Wallet {
  readonly signer: AccountSigner
  /** Stellar RPC of the offer's network. Must be https: the stock client refuses plain http. */
  readonly rpcUrl: string
  /** Settlement contracts of `upto` (`C...`) to sign for, if they run our code, as the RPC says. @default all that do */
  readonly uptoContracts?: readonly string[] | undefined
}

/** The key of the account that pays. */
export interface PayerKey {
  /** The contract account `C...` for which the key signs. @default the key's own account `G...` */
  readonly account?: string | undefined
  /** A seed `S...`; of a contract account also a private key of ed25519 or P-256 in PEM. */
  readonly secret: string
}

/** Throws on a malformed key; the error does not repeat it. */
export const walletOf = (
  key: string | PayerKey,
  network: NetworkId,
  rpcUrl: string,
  uptoContracts?: Wallet['uptoContracts'],
): Wallet => ({ signer: signerOf(key, network, rpcUrl), rpcUrl, uptoContracts })

function signerOf(given: string | PayerKey, network: NetworkId, rpcUrl: string): AccountSigner {
  const { account, secret }: PayerKey = typeof given === 'string' ? { secret: given } : given
  if (account === undefined) return createEd25519Signer(secret, network)
  return contractSigner({ address: account, key: readAccountKey(secret), url: rpcUrl })
}

/** The stock client asks the RPC several times, and sets no limit itself. */
const SIGN_MS = 60_000

interface SignOptions extends SigningLimits {
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
}

/**
 * Signs one payment with the stock client; sends it to nobody but the wallet's RPC. Throws PayFailure, or what `record` throws;
 * if `record` was not called before that, the payment is certainly unsigned.
 */
export async function signPayment(
  { call, required, offer }: Pick<Quote, 'call' | 'required' | 'offer'>,
  wallet: Wallet,
  { clock, signal, afterLedger, record }: SignOptions,
): Promise<PaymentPayload> {
  const { network } = offer
  const { signer, rpcUrl } = wallet
  /** The stock client keeps only the messages of errors. */
  let refused: RefusedOffer | AccountRefusal | undefined
  let unrecorded: { readonly error: unknown } | undefined
  let isOver = false
  const recordOnce = (trace: SignatureTrace) => {
    try {
      // The stock client works on after the time limit.
      if (isOver) throw new RefusedOffer('The signature is asked for too late')
      record(trace)
    } catch (error) {
      unrecorded = { error }
      throw error
    }
  }
  const limits = { afterLedger, record: recordOnce }
  const client = new x402Client()
    .register(network, exactScheme(transferSigner(signer, offer, limits), wallet))
    .register(network, uptoScheme(oneSignature(signer, limits), wallet, offer))
    .onPaymentCreationFailure(async ({ error }) => {
      if (error instanceof RefusedOffer || error instanceof AccountRefusal) refused = error
    })
  try {
    return await withTimeLimit({ clock, ms: SIGN_MS, signal }, () =>
      client.createPaymentPayload({ ...required, accepts: [offer.terms] }),
    )
  } catch (error) {
    signal?.throwIfAborted()
    if (unrecorded) throw unrecorded.error
    if (refused instanceof AccountRefusal) throw refusedByAccount(refused)
    if (refused) throw refusedTerms(call.url, offer, refused)
    const accepted = offer.terms
    throw await whyNotSigned(error, { rpcUrl, network, payer: signer.address, accepted, clock })
  } finally {
    isOver = true
  }
}

/** The stock scheme signs for accounts `G...` only. */
const exactScheme = (signer: AccountSigner, { rpcUrl: url }: Wallet) =>
  signer.prepare ? new ExactAccountScheme(signer, { url }) : new ExactStellarScheme(signer, { url })

/**
 * The offer has been compared with the buyer's limits. Other code could leave an allowance that is spent in a transaction without the
 * nonce, where the search for the payment does not see it: so our code is required of listed contracts too.
 */
const uptoScheme = (
  signer: AccountSigner,
  { rpcUrl: url, uptoContracts: contracts }: Wallet,
  { asset, amount }: Offer,
) =>
  new UptoStellarScheme(signer, {
    ...{ url, contracts, requiresOurCode: true },
    maxAmounts: { [asset]: amount },
  })

const refusedTerms = (url: string, { scheme }: Offer, { says }: RefusedOffer): PayFailure =>
  new PayFailure(
    'not_payable',
    `${url} offers terms that this client refuses: ${says.slice(0, 1).toLowerCase()}${says.slice(1)}`,
    { hint: hints[scheme] ?? 'Nothing was paid.' },
  )

/** Advice where a scheme has more to say than that nothing was paid. */
const hints: Readonly<Partial<Record<SchemeName, string>>> = {
  upto: 'Nothing was paid. Of the scheme upto this client pays the profile authority-v1 with a known settlement contract (docs/upto.md): ask the seller for that, or for a fixed price.',
}

const refusedByAccount = (refusal: AccountRefusal): PayFailure => {
  const { code, message, cause } = refusal
  return new PayFailure(code, message, { hint: accountHints[code], cause })
}

const accountHints: Readonly<Record<AccountRefusal['code'], string>> = {
  no_account: 'Nothing was paid. Deploy it on this network, or name another account.',
  wrong_key: 'Nothing was paid. Name the key of a signer of the account.',
  policy_refused: 'Nothing was paid. What the account may spend is decided by its owner.',
  account_refused:
    'The seller did not get it, but the Stellar RPC did, so it counts until it expires. Either the key is not one of the account, or the account does not allow this payment.',
}
