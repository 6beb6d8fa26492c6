/** The one table of what is signed: each type of operation, and its rule. */
import type { xdr } from '@stellar/stellar-sdk'
import { footprint, invokeHostFunction } from './contract-operations.ts'
import { accountOf } from './envelope.ts'
import { type Part, type Place, roleOf } from './part.ts'
import { refuse } from './refusal.ts'
import { accountMerge, sponsorship } from './sponsorship.ts'

type Type = xdr.OperationBody['type']
type Body<Name extends Type> = Extract<xdr.OperationBody, { readonly type: Name }>
type Rule<Name extends Type> = (body: Body<Name>, place: Place) => Part

const never = ({ type }: xdr.OperationBody): never => refuse('operation', `${type} is never signed`)

const rules: { readonly [Name in Type]: Rule<Name> } = {
  beginSponsoringFutureReserves: (body, place) =>
    sponsorship(body.beginSponsoringFutureReservesOp, place),
  // The three below stand only after a begin, whose rule takes them too.
  createAccount: () => refuse('create_account', 'the reserve of the account is not sponsored'),
  revokeSponsorship: () => refuse('sponsorship', 'nobody takes over the sponsorship'),
  endSponsoringFutureReserves: () => refuse('sponsorship', 'no sponsorship has begun'),

  accountMerge: (body, place) => accountMerge(body.destination, place),
  payment: (body, place) => payment(body.paymentOp, place),
  manageData: (body, place) => dataEntry(body.manageDataOp, place),

  invokeHostFunction: (body, place) => invokeHostFunction(body.invokeHostFunctionOp, place),
  extendFootprintTtl: (_body, place) => footprint(place),
  restoreFootprint: (_body, place) => footprint(place),

  // Signers, thresholds and flags of the account.
  setOptions: never,
  // Other ways for XLM and tokens to leave it.
  pathPaymentStrictReceive: never,
  pathPaymentStrictSend: never,
  manageSellOffer: never,
  manageBuyOffer: never,
  createPassiveSellOffer: never,
  createClaimableBalance: never,
  liquidityPoolDeposit: never,
  liquidityPoolWithdraw: never,
  inflation: never,
  // Entries that lock XLM, and rights of an issuer.
  changeTrust: never,
  claimClaimableBalance: never,
  allowTrust: never,
  setTrustLineFlags: never,
  clawback: never,
  clawbackClaimableBalance: never,
  // Makes the transactions signed before invalid, or the account unusable for years.
  bumpSequence: never,
}

/** What the operation does, with those after it that belong to it. Throws `Refusal`. */
export function partOf(place: Place): Part {
  const { body } = place.step.operation
  const rule = rules[body.type] as Rule<Type> | undefined
  // An operation that a later version of the SDK knows is none of the table.
  return rule ? rule(body, place) : never(body)
}

/** XLM between sponsors of one owner: of this one to a recipient, or of a recipient where this one pays the fee. */
function payment({ asset, destination, amount }: xdr.PaymentOp, place: Place): Part {
  const { source } = place.step
  const from = roleOf(place, source)
  const to = roleOf(place, accountOf(destination))
  if (asset.type !== 'assetTypeNative') refuse('payment', 'the payment is not in XLM')
  if (amount <= 0n) refuse('payment', `the payment is of ${amount} stroops`)
  if (from === 'other') refuse('operation_source', `${source} makes a payment`)
  if (to === 'other' || (from === 'sponsor' && to === 'sponsor')) {
    refuse('payment', `${accountOf(destination)} is no recipient`)
  }
  return { kind: 'pay', xlm: from === 'sponsor' ? amount : 0n }
}

/** The mark of the facilitator's store on a sponsor. */
function dataEntry({ dataName }: xdr.ManageDataOp, place: Place): Part {
  const { source } = place.step
  const name = dataName.toString()
  if (roleOf(place, source) === 'other') refuse('operation_source', `${source} sets a data entry`)
  const isAllowed = place.policy.dataEntries.some((each) => each === name)
  if (!isAllowed)
    refuse('data_entry', `the data entry ${JSON.stringify(name)} is not in dataEntries`)
  return { kind: 'mark' }
}
