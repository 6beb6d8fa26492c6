/** Events of classic operations and of fees, in the shape the asset contracts use (CAP-67). */
import { Address, Asset, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import {
  type AccountId,
  addressOf,
  muxIdOf,
  scAddressOf,
  unmuxed,
} from '../../ledger/account-id.ts'

type FeeStage = 'beforeAll' | 'afterAll'

interface Transfer {
  readonly asset: Asset
  readonly from: xdr.MuxedAccount
  readonly to: xdr.MuxedAccount
  readonly amount: bigint
  readonly memo: xdr.Memo
}

interface Clawback {
  readonly asset: Asset
  readonly from: xdr.MuxedAccount
  readonly amount: bigint
}

interface Authorization {
  readonly asset: Asset
  readonly owner: AccountId
  readonly authorize: boolean
}

export interface EventFactory {
  /** A transfer, or a mint or burn when exactly one side is the asset's issuer. */
  transfer(transfer: Transfer): xdr.ContractEvent
  /** For a clawback by the issuer. */
  clawback(clawback: Clawback): xdr.ContractEvent
  /** For a change of a trustline's authorization. */
  authorization(authorization: Authorization): xdr.ContractEvent
  /** A fee charge, or with a negative amount a refund. */
  fee(account: AccountId, amount: bigint, stage: FeeStage): xdr.TransactionEvent
}

/** The passphrase is part of the asset's contract id, which events carry. */
export function eventFactory(passphrase: string): EventFactory {
  const contracts = new Map<string, xdr.ContractId>()
  const contractOf = (asset: Asset): xdr.ContractId => {
    const name = asset.toString()
    const known = contracts.get(name)
    if (known) return known
    const contract = Address.fromString(asset.contractId(passphrase)).toScAddress()
    if (contract.type !== 'scAddressTypeContract') throw new Error(`no contract for ${name}`)
    contracts.set(name, contract.contractId)
    return contract.contractId
  }
  const event = (asset: Asset, topics: xdr.ScVal[], data: xdr.ScVal): xdr.ContractEvent =>
    new xdr.ContractEvent({
      ext: xdr.ExtensionPoint.v0(),
      contractId: contractOf(asset),
      type: xdr.ContractEventType.contract,
      body: xdr.ContractEventBody.v0(new xdr.ContractEventV0({ topics, data })),
    })
  return {
    transfer: (transfer) => event(transfer.asset, transferTopics(transfer), transferData(transfer)),
    clawback: ({ asset, from, amount }) =>
      event(
        asset,
        [symbol('clawback'), addressValue(unmuxed(from)), assetName(asset)],
        int128(amount),
      ),
    authorization: ({ asset, owner, authorize }) =>
      event(
        asset,
        [symbol('set_authorized'), addressValue(owner), assetName(asset)],
        xdr.ScVal.scvBool(authorize),
      ),
    fee: (account, amount, stage) =>
      new xdr.TransactionEvent({
        stage: stages[stage],
        event: event(Asset.native(), [symbol('fee'), addressValue(account)], int128(amount)),
      }),
  }
}

const stages: Readonly<Record<FeeStage, xdr.TransactionEventStage>> = {
  beforeAll: xdr.TransactionEventStage.transactionEventStageBeforeAllTxs,
  afterAll: xdr.TransactionEventStage.transactionEventStageAfterAllTxs,
}

type TransferKind = 'transfer' | 'mint' | 'burn'

function kindOf({ asset, from, to }: Transfer): TransferKind {
  const issuer = asset.isNative() ? undefined : asset.getIssuer()
  const fromIssuer = addressOf(unmuxed(from)) === issuer
  const toIssuer = addressOf(unmuxed(to)) === issuer
  if (fromIssuer === toIssuer) return 'transfer'
  return fromIssuer ? 'mint' : 'burn'
}

function transferTopics(transfer: Transfer): xdr.ScVal[] {
  const kind = kindOf(transfer)
  const from = addressValue(unmuxed(transfer.from))
  const to = addressValue(unmuxed(transfer.to))
  const parties = { transfer: [from, to], mint: [to], burn: [from] }[kind]
  return [symbol(kind), ...parties, assetName(transfer.asset)]
}

/** The amount, or a map with it and the receiver's mux id or, instead of that, the memo. */
function transferData(transfer: Transfer): xdr.ScVal {
  const amount = int128(transfer.amount)
  const id = kindOf(transfer) === 'burn' ? undefined : destinationId(transfer)
  if (!id) return amount
  return xdr.ScVal.scvMap([
    new xdr.ScMapEntry({ key: symbol('amount'), val: amount }),
    new xdr.ScMapEntry({ key: symbol('to_muxed_id'), val: id }),
  ])
}

function destinationId({ to, memo }: Transfer): xdr.ScVal | undefined {
  const muxId = muxIdOf(to)
  if (muxId !== undefined) return xdr.ScVal.scvU64(muxId)
  switch (memo.type) {
    case 'memoNone':
      return undefined
    case 'memoText':
      return xdr.ScVal.scvString(memo.text)
    case 'memoId':
      return xdr.ScVal.scvU64(memo.id)
    case 'memoHash':
      return xdr.ScVal.scvBytes(memo.hash.value)
    case 'memoReturn':
      return xdr.ScVal.scvBytes(memo.retHash.value)
  }
}

const assetName = (asset: Asset): xdr.ScVal =>
  xdr.ScVal.scvString(asset.isNative() ? 'native' : asset.toString())
const symbol = (name: string): xdr.ScVal => xdr.ScVal.scvSymbol(name)
const addressValue = (id: AccountId): xdr.ScVal => xdr.ScVal.scvAddress(scAddressOf(id))
const int128 = (amount: bigint): xdr.ScVal => nativeToScVal(amount, { type: 'i128' })
