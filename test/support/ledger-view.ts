/** Reads the embedded network's ledger from its entries, not through its RPC interface. */
import { Address, Asset, Keypair, StrKey, scValToNative, xdr } from '@stellar/stellar-sdk'
import type { AppliedTransaction } from '../../src/localnet/closing/history.ts'
import { USDC_ISSUER } from '../../src/localnet/genesis/genesis-assets.ts'
import type { Localnet } from '../../src/localnet/network.ts'
import { usdc } from './payments.ts'

export interface Transfer {
  readonly contract: string
  readonly from: string
  readonly to: string
  readonly amount: bigint
  /** Of a muxed recipient. */
  readonly id?: bigint
}

const accountId = (address: string) => Keypair.fromPublicKey(address).xdrAccountId()

export const accountKey = (address: string): Uint8Array =>
  xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: accountId(address) })).toXdr()

export const trustlineKey = (address: string): Uint8Array =>
  xdr.LedgerKey.trustline(
    new xdr.LedgerKeyTrustLine({
      accountId: accountId(address),
      asset: new Asset('USDC', USDC_ISSUER).toTrustLineXdrObject(),
    }),
  ).toXdr()

/** Of the balance that an asset's contract keeps for another contract. */
export const contractBalanceKey = (address: string, contract: string = usdc): Uint8Array =>
  xdr.LedgerKey.contractData(
    new xdr.LedgerKeyContractData({
      contract: Address.fromString(contract).toScAddress(),
      key: xdr.ScVal.scvVec([
        xdr.ScVal.scvSymbol('Balance'),
        Address.fromString(address).toScVal(),
      ]),
      durability: xdr.ContractDataDurability.persistent,
    }),
  ).toXdr()

function dataAt(network: Localnet, key: Uint8Array): xdr.LedgerEntryData | undefined {
  const stored = network.entry(key)
  return stored && xdr.LedgerEntry.fromXdr(stored.entry).data
}

export function accountEntry(network: Localnet, address: string): xdr.AccountEntry {
  const data = dataAt(network, accountKey(address))
  if (data?.type !== 'account') throw new Error(`${address} is on no ledger`)
  return data.account
}

/** USDC of a `G...` or `C...` address, base units; undefined without a trustline or balance entry. */
export function usdcOf(network: Localnet, address: string): bigint | undefined {
  if (StrKey.isValidEd25519PublicKey(address)) {
    const data = dataAt(network, trustlineKey(address))
    return data?.type === 'trustline' ? data.trustLine.balance : undefined
  }
  const data = dataAt(network, contractBalanceKey(address))
  return data?.type === 'contractData'
    ? BigInt(scValToNative(data.contractData.val).amount)
    : undefined
}

/** Every transaction in the ledgers after `ledger`. */
export function transactionsAfter(network: Localnet, ledger: number): AppliedTransaction[] {
  const sequences = Array.from(
    { length: network.latest.sequence - ledger },
    (_, index) => ledger + 1 + index,
  )
  return sequences.flatMap((sequence) => [...(network.ledger(sequence)?.transactions ?? [])])
}

/** The transfers among the events of a transaction. */
export const transfersOf = ({ contractEvents }: AppliedTransaction): Transfer[] =>
  eventsOf({ contractEvents }).flatMap(({ contract, topics: [name, from, to], data }) => {
    if (name !== 'transfer') return []
    const { amount = data, to_muxed_id: id } = Object(data)
    return [
      {
        contract,
        from: String(from),
        to: String(to),
        amount: BigInt(amount),
        ...(id !== undefined && { id: BigInt(id) }),
      },
    ]
  })

/** Every event of a transaction's contracts, as plain values. */
export const eventsOf = ({ contractEvents }: Pick<AppliedTransaction, 'contractEvents'>) =>
  contractEvents.flat().map((bytes) => {
    const { contractId, body } = xdr.ContractEvent.fromXdr(bytes)
    return {
      contract: contractId ? StrKey.encodeContract(contractId.toXdr()) : '',
      topics: body.v0.topics.map((topic): unknown => scValToNative(topic)),
      data: scValToNative(body.v0.data) as unknown,
    }
  })
