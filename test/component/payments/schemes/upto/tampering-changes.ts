/** Changes to a signed payment in the scheme `upto`, beside those to the frame, the credentials and the entries that it shares with `exact`. */
import { randomBytes } from 'node:crypto'
import { Address, xdr } from '@stellar/stellar-sdk'
import {
  addressValue,
  i128,
  type PaymentBody,
  type PaymentDraft,
} from '../../../../support/payments.ts'
import { authorizationChanges } from '../../tampering/authorization-changes.ts'
import type { Change, Parties } from '../../tampering/change.ts'
import { envelopeChanges, named } from '../../tampering/envelope-changes.ts'
import { requestChanges } from '../../tampering/request-changes.ts'

export const CEILING = 100_000n
export const ACTUAL = 40_000n

type Terms = Record<string, unknown>
type Call = PaymentDraft['call']

/** In what `exact` requires of the call; or of the amount, which is another thing here. */
const isOfExact = ({ name }: Change): boolean =>
  /^(call|agreed call): (another payer|another recipient|one unit|the amount|the sponsor|payer and)/.test(
    name,
  ) || /^(requirements|accepted): (another scheme|one unit)/.test(name)

const shared = [...requestChanges, ...envelopeChanges, ...authorizationChanges].filter(
  (change) => !isOfExact(change),
)

const termChange = (
  where: 'requirements' | 'accepted',
  what: string,
  changed: (terms: Terms, parties: Parties) => Terms,
  harmless?: string,
): Change => ({
  name: `${where}: ${what}`,
  make: ({ body }, parties) => {
    const { paymentRequirements, paymentPayload } = body
    const terms = where === 'accepted' ? paymentPayload.accepted : paymentRequirements
    Object.assign(terms, changed(terms, parties))
  },
  ...(harmless !== undefined && { harmless }),
})

const inExtra =
  (name: string, replacement: (parties: Parties) => unknown) =>
  ({ extra }: Terms, parties: Parties): Terms => ({
    extra: { ...Object(extra), [name]: replacement(parties) },
  })

const termChanges = (['requirements', 'accepted'] as const).flatMap((where) => [
  termChange(where, 'another scheme', () => ({ scheme: 'exact' })),
  termChange(
    where,
    'another profile',
    inExtra('profile', () => 'contract'),
  ),
  termChange(
    where,
    'another contract',
    inExtra('uptoContract', ({ otherAsset }) => otherAsset),
  ),
  termChange(
    where,
    'another authority',
    inExtra('authority', ({ thief }) => thief.address),
  ),
  termChange(where, 'no extra', () => ({ extra: undefined })),
])

const amounts: readonly Change[] = [
  termChange(
    'requirements',
    'one unit less',
    () => ({ amount: `${ACTUAL - 1n}` }),
    'the seller decides on the amount within the ceiling',
  ),
  termChange(
    'requirements',
    'the ceiling',
    () => ({ amount: `${CEILING}` }),
    'the seller decides on the amount within the ceiling',
  ),
  termChange('requirements', 'one unit above the ceiling', () => ({ amount: `${CEILING + 1n}` })),
  termChange('requirements', 'a negative amount', () => ({ amount: '-1' })),
  termChange('accepted', 'a unit more', () => ({ amount: `${CEILING + 1n}` })),
  termChange('accepted', 'a unit less', () => ({ amount: `${CEILING - 1n}` })),
]

const payload = (what: string, changed: (payload: Terms) => Terms): Change => ({
  name: `payload: ${what}`,
  make: ({ body }: { body: PaymentBody }) => {
    Object.assign(body.paymentPayload.payload, changed(body.paymentPayload.payload))
  },
})

const payloadChanges: readonly Change[] = [
  payload('a unit more', () => ({ maxAmount: `${CEILING + 1n}` })),
  payload('no ceiling', () => ({ maxAmount: undefined })),
  payload('a ledger longer', ({ expirationLedger }) => ({
    expirationLedger: Number(expirationLedger) + 1,
  })),
  payload('another nonce', () => ({ nonce: 'ab'.repeat(32) })),
  payload('the nonce in capital letters', ({ nonce }) => ({
    nonce: String(nonce).replaceAll(/[a-f]/g, (digit) => digit.toUpperCase()),
  })),
  payload('no nonce', () => ({ nonce: undefined })),
]

interface Place {
  readonly name: string
  readonly of: (draft: PaymentDraft) => Call
  readonly at: Readonly<
    Record<'token' | 'to' | 'ceiling' | 'expiry' | 'nonce' | 'authority', number>
  >
}

/** The eight arguments of the operation, and the tuple of six that the payer signed. */
const operation: Place = {
  name: 'call',
  of: ({ call }) => call,
  at: { token: 0, to: 2, ceiling: 3, expiry: 4, nonce: 5, authority: 7 },
}
const tuple: Place = {
  name: 'agreed call',
  of: ({ entry }) => calledBy(entry.rootInvocation),
  at: { token: 0, to: 1, ceiling: 2, expiry: 3, nonce: 4, authority: 5 },
}

function calledBy({ function: called }: xdr.SorobanAuthorizedInvocation): Call {
  if (called.type !== 'sorobanAuthorizedFunctionTypeContractFn') throw new Error('not a call')
  return called.contractFn
}

const argument =
  (place: Place) =>
  (
    what: string,
    name: keyof Place['at'],
    value: (current: xdr.ScVal | undefined, parties: Parties) => xdr.ScVal,
  ): Change => ({
    name: `${place.name}: ${what}`,
    make: (draft, parties) => {
      const { args } = place.of(draft)
      const index = place.at[name]
      // The shared changes may have shortened the list.
      if (index < args.length) args[index] = value(args[index], parties)
    },
  })

const another = randomBytes(32)
const ledgers = (current: xdr.ScVal | undefined, more: number): xdr.ScVal =>
  xdr.ScVal.scvU32((current?.type === 'scvU32' ? current.u32 : 0) + more)

const signedArguments = [operation, tuple].flatMap((place) => {
  const change = argument(place)
  return [
    change('another token', 'token', (_, { otherAsset }) => addressValue(otherAsset)),
    change('another recipient', 'to', (_, { thief }) => addressValue(thief.address)),
    change('one unit more', 'ceiling', () => i128(CEILING + 1n)),
    change('one unit less', 'ceiling', () => i128(CEILING - 1n)),
    change('a ledger longer', 'expiry', (current) => ledgers(current, 1)),
    change('a ledger shorter', 'expiry', (current) => ledgers(current, -1)),
    change('another nonce', 'nonce', () => xdr.ScVal.scvBytes(another)),
    change('another authority', 'authority', (_, { thief }) => addressValue(thief.address)),
  ]
})

const call = (
  what: string,
  make: (call: Call, parties: Parties) => void,
  harmless?: string,
): Change => ({
  name: `call: ${what}`,
  make: (draft, parties) => make(draft.call, parties),
  ...(harmless !== undefined && { harmless }),
})

const placeholder = 'the facilitator puts the amount of the requirements in its place'

const callChanges: readonly Change[] = [
  call('another payer', ({ args }, { victim }) => {
    args[1] = addressValue(victim.address)
  }),
  call('the sponsor as payer', ({ args }, { sponsor }) => {
    args[1] = addressValue(sponsor)
  }),
  call('payer and recipient exchanged', ({ args }) => {
    const [, from, to] = args
    if (from && to) args.splice(1, 2, to, from)
  }),
  call('an amount of the ceiling', ({ args }) => args.splice(6, 1, i128(CEILING)), placeholder),
  call('an amount of one', ({ args }) => args.splice(6, 1, i128(1n)), placeholder),
  call('an amount above the ceiling', ({ args }) => args.splice(6, 1, i128(CEILING + 1n))),
  call('a negative amount', ({ args }) => args.splice(6, 1, i128(-1n))),
]

const allowance = (what: string, make: (call: Call, parties: Parties) => void): Change => ({
  name: `allowance: ${what}`,
  make: ({ entry }, parties) => {
    const [below] = entry.rootInvocation.subInvocations
    if (below) make(calledBy(below), parties)
  },
})

const allowanceChanges: readonly Change[] = [
  allowance('of another token', (approve, { otherAsset }) => {
    approve.contractAddress = Address.fromString(otherAsset).toScAddress()
  }),
  allowance('a transfer', (approve) => {
    approve.functionName = named('transfer')
  }),
  allowance('of a victim', ({ args }, { victim }) => {
    args[0] = addressValue(victim.address)
  }),
  allowance('for a thief', ({ args }, { thief }) => {
    args[1] = addressValue(thief.address)
  }),
  allowance('one unit more', ({ args }) => {
    args[2] = i128(CEILING + 1n)
  }),
  allowance('a ledger longer', ({ args }) => {
    args[3] = ledgers(args[3], 1)
  }),
  {
    name: 'allowance: none',
    make: ({ entry }) => {
      entry.rootInvocation.subInvocations.length = 0
    },
  },
]

/** Those that choose another amount come first: a later change of the amount replaces theirs. */
export const changes: readonly Change[] = [
  ...amounts,
  ...shared,
  ...termChanges,
  ...payloadChanges,
  ...signedArguments,
  ...callChanges,
  ...allowanceChanges,
]

/** Those that reach the ledger, whoever sends the transaction. */
export const changesOnLedger: readonly Change[] = changes.filter(({ name }) =>
  /^(call|agreed call|allowance|authorization|entries):/.test(name),
)

/** The same part of the call and of what the payer signed, so that all but the signature agrees. */
export const consistentChanges: readonly (readonly Change[])[] = changes.flatMap((change) => {
  if (!change.name.startsWith('call: ')) return []
  const agreed = changes.find(({ name }) => name === `agreed ${change.name}`)
  return agreed ? [[change, agreed]] : []
})
