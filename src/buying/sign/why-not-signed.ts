import type { PaymentRequirements } from '@x402/core/types'
import {
  type NetworkId,
  passphrases,
  usdcContracts,
  usdcIssuers,
} from '../../platform/core/caip2.ts'
import { messageOf } from '../../platform/core/text/error-message.ts'
import { printable } from '../../platform/core/text/printable.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { readTrustlineBalance, trustlineKey } from '../../stellar/accounts/account-entries.ts'
import { addressKind } from '../../stellar/accounts/strkey.ts'
import { contractCode } from '../../stellar/contracts/contract-code.ts'
import { readTokenBalance } from '../../stellar/contracts/token-balance.ts'
import { NetworkInfoFailure, readNetworkInfo } from '../../stellar/rpc/network-info.ts'
import { type RpcClient, rpcClient } from '../../stellar/rpc/rpc-client.ts'
import { formatPrice } from '../offer/usdc.ts'
import { PayFailure } from '../outcome/pay-failure.ts'

export interface UnsignedPayment {
  readonly rpcUrl: string
  readonly network: NetworkId
  readonly payer: string
  readonly accepted: PaymentRequirements
  readonly clock: Clock
}

/**
 * Why the stock client could not make the payment. Its own message is the host's log; the ledger tells
 * which of the usual causes it is.
 */
export async function whyNotSigned(error: unknown, payment: UnsignedPayment): Promise<PayFailure> {
  try {
    return (await networkProblem(payment)) ?? (await payerProblem(payment)) ?? other(error)
  } catch (secondError) {
    if (!(secondError instanceof NetworkInfoFailure)) return other(error)
    const { code, message, hint } = secondError
    return new PayFailure(code, message, { hint, cause: error })
  }
}

function other(cause: unknown): PayFailure {
  // The host's log follows the first line.
  const [line = ''] = messageOf(cause).split('\n')
  return new PayFailure('not_signed', `the stock client could not sign: ${printable(line)}`, {
    cause,
  })
}

/** Undefined when the RPC is of the network. Throws NetworkInfoFailure. */
export async function networkProblem({
  rpcUrl,
  network,
  clock,
}: Pick<UnsignedPayment, 'rpcUrl' | 'network' | 'clock'>): Promise<PayFailure | undefined> {
  const { passphrase } = await readNetworkInfo(rpcUrl, { clock })
  if (passphrase === passphrases[network]) return undefined
  const says = `the Stellar RPC ${new URL(rpcUrl).origin} is of another network than ${network}`
  return new PayFailure('rpc_other_network', says, { hint: 'Name one of that network with --rpc.' })
}

async function payerProblem(payment: UnsignedPayment): Promise<PayFailure | undefined> {
  const { rpcUrl, network, payer, accepted } = payment
  const { asset, amount, payTo } = accepted
  const rpc = rpcClient({ url: rpcUrl })
  const isContract = addressKind(payer) === 'contract'
  if (!(await exists(rpc, payer))) {
    const says = `the payer's account ${payer} does not exist on ${network}`
    const hint = isContract
      ? 'Deploy the contract of the account, or name another one with --account.'
      : 'svc wallet new --fund makes an account with XLM and a trustline.'
    return new PayFailure('no_account', says, { hint })
  }
  const isUsdc = asset === usdcContracts[network]
  if (isUsdc && !isContract && (await usdcBalance(rpc, network, payer)) === undefined) {
    return new PayFailure('no_trustline', `the payer's account ${payer} has no trustline to USDC`, {
      hint: 'Add one with a wallet, or make another account with svc wallet new --fund.',
    })
  }
  const held = await readTokenBalance(rpc, asset, payer)
  if (held.amount < BigInt(amount)) {
    const [price, has] = [BigInt(amount), held.amount].map((it) => formatPrice(network, asset, it))
    return new PayFailure('too_little', `the price is ${price}, and the payer ${payer} has ${has}`)
  }
  if (isUsdc && payTo.startsWith('G') && (await usdcBalance(rpc, network, payTo)) === undefined) {
    const says = `the seller's account ${payTo} has no trustline to USDC, so it cannot be paid`
    return new PayFailure('seller_cannot_receive', says)
  }
  return undefined
}

const exists = async (rpc: RpcClient, address: string): Promise<boolean> =>
  addressKind(address) === 'contract'
    ? (await contractCode(rpc, address)) !== undefined
    : (await rpc.accounts([address])).has(address)

/** undefined without a trustline. */
async function usdcBalance(
  rpc: RpcClient,
  network: NetworkId,
  address: string,
): Promise<bigint | undefined> {
  const { entries } = await rpc.ledgerEntries([trustlineKey(address, 'USDC', usdcIssuers[network])])
  const entry = entries[0]
  return entry === undefined ? undefined : readTrustlineBalance(entry.xdr)
}
