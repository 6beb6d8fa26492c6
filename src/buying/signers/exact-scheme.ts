/** The scheme `exact` for every account that can pay: register it in a stock x402 client, 2.9.0 or newer. */
import type {
  PaymentPayloadResult,
  PaymentRequirements,
  SchemeNetworkClient,
} from '@x402/core/types'
import { getRpcUrl } from '@x402/stellar'
import { isNetworkId, type NetworkId, passphrases } from '../../platform/core/caip2.ts'
import { addressKind } from '../../stellar/accounts/strkey.ts'
import type { SimulationFailure } from '../../stellar/rpc/rpc.ts'
import { type RpcClient, rpcClient } from '../../stellar/rpc/rpc-client.ts'
import { i128Value } from '../../stellar/values/i128-value.ts'
import { readAmount } from '../../stellar/values/read-amount.ts'
import { AccountRefusal } from './account-refusal.ts'
import type { AccountSigner } from './account-signer.ts'
import {
  addressValue,
  authorize,
  callOf,
  envelopeOf,
  invocationOf,
  randomNonce,
} from './authorized-call.ts'
import { isOnThisMachine, lastLedgerOf, MAX_TIMEOUT_SECONDS } from './last-ledger.ts'
import { RefusedOffer, tooLongValid } from './refused-offer.ts'
import { findUsdc } from './usdc-asset.ts'
import { whyItFailed } from './why-it-failed.ts'

export interface ExactClientOptions {
  /** Stellar RPC over https. @default on testnet the public one of the stock packages; pubnet has none */
  readonly url?: string | undefined
  /** The longest validity of an authorization. @default 900, what a facilitator takes by default */
  readonly maxTimeoutSeconds?: number | undefined
}

/**
 * Signs the transfer of a price, for contract accounts `C...` too, whose signatures the stock scheme cannot make. What is signed follows from the
 * offer alone. Two simulations surround the signature: before it, of the transfer without it, and after it, of what is sent to the seller, with the
 * check of the account.
 */
export class ExactAccountScheme implements SchemeNetworkClient {
  readonly scheme = 'exact'
  readonly findDefaultAsset = findUsdc
  readonly #signer: AccountSigner
  readonly #options: ExactClientOptions

  constructor(signer: AccountSigner, options: ExactClientOptions = {}) {
    this.#signer = signer
    this.#options = options
  }

  /** Throws RefusedOffer, AccountRefusal, `RpcError`, and what the signer throws. */
  async createPaymentPayload(
    x402Version: number,
    requirements: PaymentRequirements,
  ): Promise<PaymentPayloadResult> {
    if (x402Version !== 2) throw new RefusedOffer(`The x402 version is ${x402Version}, not 2`)
    const { maxTimeoutSeconds: most = MAX_TIMEOUT_SECONDS } = this.#options
    const { network, asset, payTo, amount, maxTimeoutSeconds } = readTransfer(requirements, most)
    const signer = this.#signer
    const rpc = this.#rpc(network)
    const transfer = callOf(asset, 'transfer', [
      addressValue(signer.address),
      addressValue(payTo),
      i128Value(amount),
    ])
    const unsigned = await rpc.simulate(envelopeOf(transfer))
    if (unsigned.kind === 'failed') throw new Error(unsigned.error)
    const invocation = invocationOf(transfer)
    await signer.prepare?.(invocation)
    const auth = await authorize(signer, invocation, {
      expirationLedger: await lastLedgerOf(rpc, network, maxTimeoutSeconds),
      nonce: randomNonce(),
      passphrase: passphrases[network],
    })
    const signed = await rpc.simulate(envelopeOf(transfer, auth))
    if (signed.kind === 'failed') throw refusalOf(signer.address, signed)
    const transaction = envelopeOf(transfer, auth, signed.transactionData)
    return { x402Version, payload: { transaction } }
  }

  #rpc(network: NetworkId): RpcClient {
    const { url } = this.#options
    const address = getRpcUrl(network, url === undefined ? undefined : { url })
    return rpcClient({ url: address, allowHttp: isOnThisMachine(address) })
  }
}

function refusalOf(payer: string, failure: SimulationFailure): AccountRefusal {
  const { error, contract } = whyItFailed(failure)
  const by = contract === undefined || contract === payer ? '' : `, raised by ${contract}`
  return new AccountRefusal(
    'account_refused',
    `the account ${payer} refuses the payment with ${error}${by}`,
  )
}

interface Transfer {
  readonly network: NetworkId
  readonly asset: string
  readonly payTo: string
  readonly amount: bigint
  readonly maxTimeoutSeconds: number
}

/** Throws RefusedOffer. */
function readTransfer(
  { scheme, network, extra, ...offer }: PaymentRequirements,
  mostSeconds: number,
): Transfer {
  const { asset, payTo, maxTimeoutSeconds } = offer
  if (scheme !== 'exact') throw new RefusedOffer(`The scheme is ${scheme}, not exact`)
  if (!isNetworkId(network)) throw new RefusedOffer(`The network ${network} is not known`)
  if (extra?.['areFeesSponsored'] !== true) {
    throw new RefusedOffer('The seller does not sponsor the fees')
  }
  if (addressKind(asset) !== 'contract') throw new RefusedOffer(`The asset is ${asset}`)
  if (addressKind(payTo) === undefined) throw new RefusedOffer(`payTo is ${payTo}, no address`)
  const amount = readAmount(offer.amount)
  if (amount === undefined) {
    throw new RefusedOffer(`The amount ${offer.amount} is no positive number of base units`)
  }
  if (!Number.isFinite(maxTimeoutSeconds) || maxTimeoutSeconds <= 0) {
    throw new RefusedOffer(`maxTimeoutSeconds is ${maxTimeoutSeconds}, expected a positive number`)
  }
  if (maxTimeoutSeconds > mostSeconds) throw tooLongValid(maxTimeoutSeconds, mostSeconds)
  return { network, asset, payTo, amount, maxTimeoutSeconds }
}
