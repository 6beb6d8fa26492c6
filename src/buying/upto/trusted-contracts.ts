/**
 * Decides which settlement contracts a buyer's client signs for. The seller names the contract, and what the buyer signs lets that
 * contract take up to the ceiling: only the contract's code guarantees that the seller alone is paid, once, in time, and the actual
 * amount. The code of ours has neither administrator nor upgrade, so its hash never changes.
 */
import { type ContractCode, contractCode } from '../../stellar/contracts/contract-code.ts'
import { UPTO_CODE_HASH } from '../../stellar/contracts/upto-code-hash.ts'
import { isEndpointFailure, RpcError, type StellarRpc } from '../../stellar/rpc/rpc.ts'
import { RefusedOffer } from '../signers/refused-offer.ts'

/** Throws RefusedOffer for a contract (`C...`) that the buyer's client does not trust, or cannot look up. */
export type CheckContract = (contract: string) => Promise<void>

/** Trusts the listed contracts and no other; reads nothing from the ledger. */
export function listedContracts(listed: readonly string[]): CheckContract {
  const known = new Set(listed)
  return async (contract) => {
    if (known.has(contract)) return
    throw new RefusedOffer(
      `The settlement contract ${contract} is not among those that the option contracts lists`,
    )
  }
}

/** Trusts contracts that run our code, as the Stellar RPC says. It reads each once. */
export function contractsWithOurCode(rpc: Pick<StellarRpc, 'ledgerEntries'>): CheckContract {
  const trusted = new Set<string>()
  return async (contract) => {
    if (trusted.has(contract)) return
    const code = await readCode(rpc, contract)
    if (code?.kind !== 'wasm' || code.hash !== UPTO_CODE_HASH) {
      throw new RefusedOffer(
        `The settlement contract ${contract} ${describe(code)}, so nothing proves that it takes only what was used`,
        'If you trust it, list it in the option contracts.',
      )
    }
    trusted.add(contract)
  }
}

async function readCode(rpc: Pick<StellarRpc, 'ledgerEntries'>, contract: string) {
  try {
    return await contractCode(rpc, contract)
  } catch (cause) {
    if (!(cause instanceof RpcError) || !isEndpointFailure(cause)) throw cause
    throw new Error(`The code of the settlement contract ${contract} cannot be read.`, { cause })
  }
}

const describe = (code: ContractCode | undefined): string =>
  code === undefined
    ? 'is not on the ledger'
    : code.kind === 'wasm'
      ? `runs other code (${code.hash})`
      : 'is built into the network'
