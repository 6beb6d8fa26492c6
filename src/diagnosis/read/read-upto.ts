import { authoritySigners } from '../../payments/channels/authorities.ts'
import { type SponsorMembers, sponsorsOf } from '../../payments/channels/sponsor-keys.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { readContractEntries } from '../../stellar/contracts/contract-entries.ts'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'
import type { UptoLedgerFacts } from '../facts/doctor-facts.ts'

interface UptoNetwork extends SponsorMembers {
  readonly id: NetworkId
}

/** Reads authorities and contract. Throws `RpcError`. @param contract `C...` */
export async function readUpto(
  rpc: StellarRpc,
  network: UptoNetwork,
  contract: string,
  signal: AbortSignal,
): Promise<UptoLedgerFacts> {
  const sponsors = sponsorsOf(network)
  const [own, ...earlier] = authoritySigners(network.id, sponsors)
  const next = sponsors.nextSponsor?.authority(network.id)
  const addresses = [own, ...earlier, ...(next ? [next] : [])].map(({ address }) => address)
  const [accounts, entries] = await Promise.all([
    rpc.accounts(addresses, signal),
    readContractEntries(rpc, contract, signal),
  ])
  return {
    authority: own.address,
    account: accounts.get(own.address),
    missingEarlier: earlier.map(({ address }) => address).filter((each) => !accounts.has(each)),
    missingNext: next && !accounts.has(next.address) ? next.address : undefined,
    entries,
  }
}
