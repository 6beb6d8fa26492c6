import { Asset, rpc } from '@stellar/stellar-sdk'
import { asStroops, type Stroops } from '../../platform/core/amounts/stroops.ts'
import { usdcIssuers } from '../../platform/core/caip2.ts'
import { DemoFailure } from '../demo-failure.ts'

/** The embedded network has the same issuer as testnet. */
const USDC = new Asset('USDC', usdcIssuers['stellar:testnet'])

export interface LandedTransaction {
  readonly ledger: number
  readonly feeCharged: Stroops
}

/** Reads a ledger through its public RPC. */
export interface LedgerReader {
  /** In units of 10^-7. */
  usdc(address: string): Promise<bigint>
  lumens(address: string): Promise<Stroops>
  /** Throws DemoFailure unless the ledger has the transaction and it succeeded. */
  landed(hash: string): Promise<LandedTransaction>
}

export function ledgerReader(rpcUrl: string, passphrase: string): LedgerReader {
  const server = new rpc.Server(rpcUrl, { allowHttp: true })
  const balance = async (address: string, asset: Asset) => {
    const { balanceEntry } = await server.getAssetBalance(address, asset, passphrase)
    return BigInt(balanceEntry?.amount ?? '0')
  }
  return {
    usdc: (address) => balance(address, USDC),
    lumens: async (address) => asStroops((await server.getAccountEntry(address)).balance),
    async landed(hash) {
      const found = await server.getTransaction(hash)
      if (found.status !== rpc.Api.GetTransactionStatus.SUCCESS) {
        throw new DemoFailure(`transaction ${hash} is ${found.status} on the ledger`)
      }
      return { ledger: found.ledger, feeCharged: asStroops(found.resultXdr.feeCharged) }
    },
  }
}
