/** Changes to what the payer signed, and to the signature. */
import { Address, xdr } from '@stellar/stellar-sdk'
import {
  addressValue,
  callOf,
  i128,
  invocationOf,
  type PaymentDraft,
  unsignedEntry,
} from '../../../support/payments.ts'
import { flipped } from '../cases/ledger.ts'
import type { Change, Parties } from './change.ts'
import { named } from './envelope-changes.ts'

const credentials = (
  what: string,
  make: (credentials: PaymentDraft['credentials'], parties: Parties) => void,
): Change => ({
  name: `authorization: ${what}`,
  make: ({ credentials: signed }, parties) => make(signed, parties),
})

/** The call that the payer authorized, as in the entry. */
function agreedCall({ entry }: PaymentDraft): PaymentDraft['call'] {
  const { function: agreed } = entry.rootInvocation
  if (agreed.type !== 'sorobanAuthorizedFunctionTypeContractFn') throw new Error('not a call')
  return agreed.contractFn
}

const agreed = (
  what: string,
  make: (call: PaymentDraft['call'], parties: Parties) => void,
): Change => ({
  name: `agreed call: ${what}`,
  make: (draft, parties) => make(agreedCall(draft), parties),
})

const credentialChanges: readonly Change[] = [
  credentials('another nonce', (signed) => {
    signed.nonce = BigInt.asIntN(64, signed.nonce + 1n)
  }),
  credentials('a ledger longer', (signed) => {
    signed.signatureExpirationLedger += 1
  }),
  credentials('a ledger shorter', (signed) => {
    signed.signatureExpirationLedger -= 1
  }),
  credentials('of a victim', (signed, { victim }) => {
    signed.address = Address.fromString(victim.address).toScAddress()
  }),
  credentials('of the sponsor', (signed, { sponsor }) => {
    signed.address = Address.fromString(sponsor).toScAddress()
  }),
  credentials('a bit of the signature', (signed) => {
    if (signed.signature.type === 'scvVec') signed.signature = flipped(signed.signature)
  }),
  credentials('no signature', (signed) => {
    signed.signature = xdr.ScVal.scvVoid()
  }),
  credentials('no signatures in the vector', (signed) => {
    signed.signature = xdr.ScVal.scvVec([])
  }),
  credentials('the signature twice', (signed) => {
    const [one] = signed.signature.type === 'scvVec' ? (signed.signature.vec ?? []) : []
    if (one) signed.signature = xdr.ScVal.scvVec([one, one])
  }),
  credentials('a signature by another key', (signed, { otherKey }) => {
    const member = (name: string, bytes: Uint8Array) =>
      new xdr.ScMapEntry({ key: xdr.ScVal.scvSymbol(name), val: xdr.ScVal.scvBytes(bytes) })
    signed.signature = xdr.ScVal.scvVec([
      xdr.ScVal.scvMap([
        member('public_key', otherKey.rawPublicKey()),
        member('signature', otherKey.sign(new Uint8Array(32))),
      ]),
    ])
  }),
  {
    name: 'authorization: the other form of credentials',
    make: ({ entry, credentials: signed }) => {
      entry.credentials =
        entry.credentials.type === 'sorobanCredentialsAddress'
          ? xdr.SorobanCredentials.sorobanCredentialsAddressV2(signed)
          : xdr.SorobanCredentials.sorobanCredentialsAddress(signed)
    },
  },
  {
    name: "authorization: the source account's",
    make: ({ entry }) => {
      entry.credentials = xdr.SorobanCredentials.sorobanCredentialsSourceAccount()
    },
  },
]

const agreedCallChanges: readonly Change[] = [
  agreed('another contract', (call, { otherAsset }) => {
    call.contractAddress = Address.fromString(otherAsset).toScAddress()
  }),
  agreed('another function', (call) => {
    call.functionName = named('burn')
  }),
  agreed('another payer', (call, { victim }) => {
    call.args[0] = addressValue(victim.address)
  }),
  agreed('another recipient', (call, { thief }) => {
    call.args[1] = addressValue(thief.address)
  }),
  agreed('one unit more', (call) => {
    call.args[2] = i128(100_001n)
  }),
  agreed('an argument less', ({ args }) => {
    args.pop()
  }),
  {
    name: 'agreed call: a further call below',
    make: (draft, { payer, thief }) => {
      const below = callOf({ payer, payTo: thief.address })
      draft.entry.rootInvocation.subInvocations.push(invocationOf(below))
    },
  },
]

const entryChanges: readonly Change[] = [
  {
    name: 'entries: none',
    make: ({ invocation }) => {
      invocation.auth = []
    },
  },
  {
    name: "entries: the payer's twice",
    make: ({ invocation, entry }) => {
      invocation.auth = [...invocation.auth, entry]
    },
  },
  {
    name: 'entries: an unsigned one of a victim besides',
    make: ({ invocation }, { victim, thief }) => {
      const another = unsignedEntry({ payer: victim, payTo: thief.address }, 1_000)
      invocation.auth = [...invocation.auth, another]
    },
  },
  {
    name: 'entries: an unsigned one of a channel first',
    make: ({ invocation }, { channel, otherKey, thief }) => {
      const payer = { address: channel, key: otherKey }
      const another = unsignedEntry({ payer, payTo: thief.address }, 1_000)
      invocation.auth = [another, ...invocation.auth]
    },
  },
  {
    name: 'entries: one of the source account besides',
    make: ({ invocation }, { payer, thief }) => {
      const another = new xdr.SorobanAuthorizationEntry({
        credentials: xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
        rootInvocation: invocationOf(callOf({ payer, payTo: thief.address })),
      })
      invocation.auth = [...invocation.auth, another]
    },
  },
]

export const authorizationChanges: readonly Change[] = [
  ...credentialChanges,
  ...agreedCallChanges,
  ...entryChanges,
]
