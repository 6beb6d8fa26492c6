/** The scheme `upto` for buyers: register it beside `exact` in a stock x402 client, 2.9.0 or newer. */
import type {
  Network,
  PaymentPayloadResult,
  PaymentRequirements,
  SchemeNetworkClient,
} from '@x402/core/types'
import {
  type ClientStellarSigner,
  getEstimatedLedgerCloseTimeSeconds,
  getRpcUrl,
} from '@x402/stellar'
import { UPTO_SCHEME } from '../../payments/schemes/upto/terms.ts'
import { type NetworkId, networkIds, usdcContracts } from '../../platform/core/caip2.ts'
import { type RpcClient, rpcClient } from '../../stellar/rpc/rpc-client.ts'
import { readOffer } from './read-offer.ts'
import { RefusedOffer } from './refused-offer.ts'
import { signAuthorization } from './sign-authorization.ts'
import { type CheckContract, contractsWithOurCode, listedContracts } from './trusted-contracts.ts'

export { UPTO_SCHEME } from '../../payments/schemes/upto/terms.ts'
export { RefusedOffer } from './refused-offer.ts'

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

const USDC_DECIMALS = 7
const ONE_USDC = 10n ** BigInt(USDC_DECIMALS)
const MAX_TIMEOUT_SECONDS = 900

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
  readonly #signer: ClientStellarSigner
  readonly #options: UptoClientOptions
  readonly #networks = new Map<NetworkId, KnownNetwork>()

  /** @param signer of an account, as `createEd25519Signer` makes it, or of a contract account: `signAuthorization` */
  constructor(signer: ClientStellarSigner, options: UptoClientOptions = {}) {
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
    const [latest, secondsPerLedger] = await Promise.all([
      rpc.latestLedger(),
      getEstimatedLedgerCloseTimeSeconds(offer.network),
      checkContract(offer.contract),
    ])
    // The stock client of `exact` computes it the same way.
    const ledgers = Math.ceil(offer.maxTimeoutSeconds / Math.max(1, secondsPerLedger))
    const payload = await signAuthorization(this.#signer, {
      offer,
      expirationLedger: latest.sequence + ledgers,
      nonce: randomBytes(32),
      entryNonce: new DataView(randomBytes(8).buffer).getBigInt64(0),
    })
    return { x402Version, payload: { ...payload } }
  }

  /** The newest stock client pays in the assets that this names, up to its own `spendControls`. */
  findDefaultAsset(asset: string, network: Network) {
    const isUsdc = networkIds.some((id) => id === network && usdcContracts[id] === asset)
    return isUsdc ? { asset, symbol: 'USDC', decimals: USDC_DECIMALS } : undefined
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

const oneUsdc = Object.fromEntries(networkIds.map((id) => [usdcContracts[id], ONE_USDC]))

const randomBytes = (length: number): Uint8Array<ArrayBuffer> =>
  crypto.getRandomValues(new Uint8Array(length))

/** Plain http reaches an embedded network; elsewhere, anyone on the way could change the answers. */
const isOnThisMachine = (url: string): boolean =>
  ['localhost', '127.0.0.1', '[::1]'].includes(URL.parse(url)?.hostname ?? '')
