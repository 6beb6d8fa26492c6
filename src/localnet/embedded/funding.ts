import { Keypair } from '@stellar/stellar-sdk'
import { stroopsFromLumens } from '../../platform/core/amounts/stroops.ts'
import { checkRequest, type FaucetRequest } from '../faucet/transaction.ts'
import { type FaucetAsset, faucetAssets } from '../genesis/genesis-assets.ts'
import type { FundedAmounts, PublicKeyHolder } from './embedded-network.ts'

interface Funding {
  readonly account: string | PublicKeyHolder
  readonly requests: readonly FaucetRequest[]
}

const DEFAULT_AMOUNTS: FundedAmounts = { XLM: '10000' }

/** The arguments of `fund`. Throws RangeError for an amount or address that the faucet does not take. */
export function readFunding(
  first: string | PublicKeyHolder | FundedAmounts,
  second?: FundedAmounts,
): Funding {
  const account = isAccount(first) ? first : Keypair.random()
  const given = isAccount(first) ? (second ?? {}) : first
  const amounts = Object.keys(given).length > 0 ? given : DEFAULT_AMOUNTS
  const address = typeof account === 'string' ? account : account.publicKey()
  const requests = Object.entries(amounts).map(([asset, amount]): FaucetRequest => {
    if (!isFaucetAsset(asset)) {
      throw new RangeError(
        `the faucet has ${Object.keys(faucetAssets).join(' and ')}, not ${asset}`,
      )
    }
    // Both assets have seven decimals.
    const request = { address, asset, amount: stroopsFromLumens(amount) }
    checkRequest(request)
    return request
  })
  return { account, requests }
}

const isAccount = (
  argument: string | PublicKeyHolder | FundedAmounts,
): argument is string | PublicKeyHolder => typeof argument === 'string' || 'publicKey' in argument

const isFaucetAsset = (text: string): text is FaucetAsset => Object.hasOwn(faucetAssets, text)
