/** Meta of transactions as Stellar RPC lists them, made without a network. */
import { Address, xdr } from '@stellar/stellar-sdk'
import { buyer } from './synthetic-transaction.ts'

export interface MetaPlan {
  /** Of the buyer's authorizations, that the transaction used up. */
  readonly used?: readonly bigint[]
  /** Of another address. */
  readonly usedByOther?: { readonly address: string; readonly nonce: bigint }
  /** @default 1; the changes are of the first */
  readonly operations?: number
  /** @default 4 */
  readonly version?: 3 | 4
  /** Leaves all changes out. */
  readonly isEmpty?: boolean
}

/** Base64. */
export function metaOf(plan: MetaPlan = {}): string {
  const { used = [], usedByOther, operations = 1, version = 4, isEmpty = false } = plan
  const nonces = used.map((nonce) => ({ address: buyer, nonce }))
  const all = usedByOther ? [...nonces, usedByOther] : nonces
  const changes = isEmpty ? [] : [balance(), ...all.map(({ address, nonce }) => of(address, nonce))]
  const ext = xdr.ExtensionPoint.v0()
  const changesOf = (n: number) => (n === 0 ? changes : [])
  const common = { ext, txChangesBefore: [], txChangesAfter: [], sorobanMeta: null }
  const numbers = [...Array(operations).keys()]
  if (version === 3) {
    const list = numbers.map((n) => new xdr.OperationMeta({ changes: changesOf(n) }))
    return xdr.TransactionMeta.v3(new xdr.TransactionMetaV3({ ...common, operations: list })).toXdr(
      'base64',
    )
  }
  const list = numbers.map(
    (n) => new xdr.OperationMetaV2({ ext, changes: changesOf(n), events: [] }),
  )
  return xdr.TransactionMeta.v4(
    new xdr.TransactionMetaV4({ ...common, operations: list, events: [], diagnosticEvents: [] }),
  ).toXdr('base64')
}

const of = (address: string, nonce: bigint) =>
  xdr.LedgerEntryChange.ledgerEntryCreated(
    entry(address, xdr.ScVal.scvLedgerKeyNonce(new xdr.ScNonceKey({ nonce })), 'temporary'),
  )

/** What every transfer changes. */
const balance = () =>
  xdr.LedgerEntryChange.ledgerEntryUpdated(
    entry(buyer, xdr.ScVal.scvSymbol('Balance'), 'persistent'),
  )

const entry = (address: string, key: xdr.ScVal, durability: 'temporary' | 'persistent') =>
  new xdr.LedgerEntry({
    lastModifiedLedgerSeq: 1,
    ext: xdr.LedgerEntryExt.v0(),
    data: xdr.LedgerEntryData.contractData(
      new xdr.ContractDataEntry({
        ext: xdr.ExtensionPoint.v0(),
        contract: Address.fromString(address).toScAddress(),
        key,
        durability: xdr.ContractDataDurability[durability],
        val: xdr.ScVal.scvVoid(),
      }),
    ),
  })
