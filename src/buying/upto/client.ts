/** The scheme `upto` for buyers: register it beside `exact` in a stock x402 client, 2.9.0 or newer. */
import type {
  PaymentPayloadResult,
  PaymentRequirements,
  SchemeNetworkClient,
} from '@x402/core/types'
import { getRpcUrl } from '@x402/stellar'
import { UPTO_SCHEME } from '../../payments/schemes/upto/terms.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { type RpcClient, rpcClient } from '../../stellar/rpc/rpc-client.ts'
import type { AccountSigner } from '../signers/account-signer.ts'
import { randomNonce } from '../signers/authorized-call.ts'
import { isOnThisMachine, lastLedgerOf, MAX_TIMEOUT_SECONDS } from '../signers/last-ledger.ts'
import { RefusedOffer } from '../signers/refused-offer.ts'
import { findUsdc, oneUsdc } from '../signers/usdc-asset.ts'
import { readOffer } from './read-offer.ts'
import { signAuthorization } from './sign-authorization.ts'
import { type CheckContract, contractsWithOurCode, listedContracts } from './trusted-contracts.ts'

export { UPTO_SCHEME } from '../../payments/schemes/upto/terms.ts'
export { RefusedOffer } from '../signers/refused-offer.ts'

export interface UptoClientOptions {
  /** Stellar RPC over https. @default on testnet the public one of the stock packages; pubnet has none */
  readonly url?: string | undefined
  /**
   * The highest ceiling to sign, in base units, by token contract (`C...`); offers in other tokens are refused.
   * @default 1 USDC
   */
  readonly maxAmounts?: Readonly<Record<string, bigint>> | undefined
  /**
   * Settlement contracts (`C...`) to sign for. The client then reads no contract from the ledger.
   * @default every contract that runs our code, as the RPC says
   */
  readonly contracts?: readonly string[] | undefined
  /** Whether contracts in `contracts` must run our code as well, as the RPC says. @default false */
  readonly requiresOurCode?: boolean | undefined
  /** The longest validity of an authorization. @default 900, what a facilitator takes by default */
  readonly maxTimeoutSeconds?: number | undefined
}

/** The facts that the client has about one network. */
interface KnownNetwork {
  readonly rpc: RpcClient
  readonly checkContract: CheckContract
}

/**
 * Signs ceilings. It refuses, with RefusedOffer and before it signs anything, an offer of another profile, a ceiling above
 * the buyer's maximum, another token, and a settlement contract that it does not trust.
 */
export class UptoStellarScheme implements SchemeNetworkClient {
  readonly scheme = UPTO_SCHEME
  readonly findDefaultAsset = findUsdc
  readonly #signer: AccountSigner
  readonly #options: UptoClientOptions
  readonly #networks = new Map<NetworkId, KnownNetwork>()

  /** @param signer of an account, as `createEd25519Signer` makes it, or of a contract account */
  constructor(signer: AccountSigner, options: UptoClientOptions = {}) {
    this.#signer = signer
    this.#options = options
  }

  async createPaymentPayload(
    x402Version: number,
    requirements: PaymentRequirements,
  ): Promise<PaymentPayloadResult> {
    if (x402Version !== 2) throw new RefusedOffer(`The x402 version is ${x402Version}, not 2`)
    const { maxAmounts, maxTimeoutSeconds = MAX_TIMEOUT_SECONDS } = this.#options
    const offer = readOffer(requirements, {
      payer: this.#signer.address,
      maxAmounts: maxAmounts ?? oneUsdc,
      maxTimeoutSeconds,
    })
    const { rpc, checkContract } = this.#network(offer.network)
    const [expirationLedger] = await Promise.all([
      lastLedgerOf(rpc, offer.network, offer.maxTimeoutSeconds),
      checkContract(offer.contract),
    ])
    const payload = await signAuthorization(this.#signer, {
      offer,
      expirationLedger,
      nonce: crypto.getRandomValues(new Uint8Array(32)),
      entryNonce: randomNonce(),
    })
    return { x402Version, payload: { ...payload } }
  }

  #network(network: NetworkId): KnownNetwork {
    const known = this.#networks.get(network)
    if (known) return known
    const { url, contracts, requiresOurCode = false } = this.#options
    const address = getRpcUrl(network, url === undefined ? undefined : { url })
    const rpc = rpcClient({ url: address, allowHttp: isOnThisMachine(address) })
    const checks = [
      ...(contracts ? [listedContracts(contracts)] : []),
      ...(!contracts || requiresOurCode ? [contractsWithOurCode(rpc)] : []),
    ]
    const checkContract: CheckContract = async (contract) => {
      for (const check of checks) await check(contract)
    }
    const opened = { rpc, checkContract }
    this.#networks.set(network, opened)
    return opened
  }
}
