/** The supply of lumens is constant; that of another asset is what its issuer paid out less what it got back. */
import { Address, Asset, scValToNative, type xdr } from '@stellar/stellar-sdk'
import type { AppliedTransaction } from '../../../../../src/localnet/closing/history.ts'
import { addressOf, unmuxed } from '../../../../../src/localnet/ledger/account-id.ts'
import { TOTAL_COINS } from '../../../../../src/localnet/ledger/header.ts'
import type { Op } from '../../harness.ts'
import { assetContracts, assets } from '../accounts.ts'
import { envelopeOf, type ReadEnvelope, sourceOf } from '../applied.ts'
import { type DecodedLedger, headerOf, type Rule, type Transition } from '../decoded-ledger.ts'

export const supply: Rule = {
  name: 'every asset is conserved',
  start: () => (transition) => [
    ...lumenProblems(transition),
    ...assets.flatMap((asset, index) =>
      asset.isNative() ? [] : creditProblems(transition, asset, assetContracts[index] ?? ''),
    ),
  ],
}

function lumenProblems({ after, ledger }: Transition): string[] {
  const { feePool, totalCoins } = headerOf(ledger)
  const held = after.accounts.reduce((sum, { balance }) => sum + balance, 0n)
  const all = held + inContracts(after, assetContracts[0] ?? '') + feePool
  return all === TOTAL_COINS && totalCoins === TOTAL_COINS
    ? []
    : [`there are ${all - TOTAL_COINS} stroops too many`]
}

function creditProblems({ before, after, ledger }: Transition, asset: Asset, contract: string) {
  const grown = supplyOf(after, asset, contract) - supplyOf(before, asset, contract)
  const issued = ledger.transactions
    .filter(({ successful }) => successful)
    .reduce((sum, it) => sum + issuedBy(it, asset, contract), 0n)
  return grown === issued ? [] : [`${asset} grew by ${grown}, its issuer paid out ${issued}`]
}

function supplyOf(decoded: DecodedLedger, asset: Asset, contract: string): bigint {
  const name = asset.toTrustLineXdrObject()
  return decoded.trustlines
    .filter((line) => line.asset.equals(name))
    .reduce((sum, { balance }) => sum + balance, inContracts(decoded, contract))
}

const inContracts = ({ contractBalances }: DecodedLedger, contract: string): bigint =>
  contractBalances
    .filter((it) => it.asset === contract)
    .reduce((sum, { amount }) => sum + amount, 0n)

/** From the operations, not from the events of the network. */
function issuedBy(applied: AppliedTransaction, asset: Asset, contract: string): bigint {
  const envelope = envelopeOf(applied)
  return envelope.transaction.operations.reduce(
    (sum, operation) => sum + issuedByOperation(operation, { envelope, asset, contract }),
    0n,
  )
}

interface Issuance {
  readonly envelope: ReadEnvelope
  readonly asset: Asset
  readonly contract: string
}

function issuedByOperation(operation: Op, { envelope, asset, contract }: Issuance): bigint {
  const { body } = operation
  const issuer = asset.getIssuer()
  switch (body.type) {
    case 'payment': {
      const { asset: paid, amount, destination } = body.paymentOp
      if (!Asset.fromOperation(paid).equals(asset)) return 0n
      const from = addressOf(sourceOf(operation, envelope))
      return given(amount, { from, to: addressOf(unmuxed(destination)), issuer })
    }
    case 'clawback': {
      const { asset: taken, amount } = body.clawbackOp
      return Asset.fromOperation(taken).equals(asset) ? -amount : 0n
    }
    case 'invokeHostFunction':
      return issuedByCall(body.invokeHostFunctionOp.hostFunction, { issuer, contract })
    default:
      return 0n
  }
}

interface Sides {
  readonly from: string
  readonly to: string
  readonly issuer: string | undefined
}

function given(amount: bigint, { from, to, issuer }: Sides): bigint {
  if (from === to) return 0n
  if (from === issuer) return amount
  return to === issuer ? -amount : 0n
}

function issuedByCall(
  call: xdr.HostFunction,
  { issuer, contract }: { issuer: string | undefined; contract: string },
): bigint {
  if (call.type !== 'hostFunctionTypeInvokeContract') return 0n
  const { contractAddress, functionName, args } = call.invokeContract
  if (Address.fromScAddress(contractAddress).toString() !== contract) return 0n
  const values = args.map((arg) => scValToNative(arg))
  const amount = BigInt(values.at(-1))
  switch (String(functionName)) {
    case 'transfer':
      return given(amount, { from: values[0], to: values[1], issuer })
    case 'mint':
      // Minting to the issuer burns at once.
      return values[0] === issuer ? 0n : amount
    case 'burn':
    case 'clawback':
      return values[0] === issuer ? 0n : -amount
    default:
      throw new TypeError(`unknown function ${functionName}`)
  }
}
