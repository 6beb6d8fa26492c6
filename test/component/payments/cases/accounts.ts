import {
  Address,
  encodeMuxedAccountToAddress,
  Keypair,
  nativeToScVal,
  xdr,
} from '@stellar/stellar-sdk'
import { usdcContracts } from '../../../../src/core/caip2.ts'
import { addressValue, i128, type PaymentPlan } from '../../../support/payments.ts'
import type { Provocation, RefusalCase } from '../refusal-case.ts'
import type { World } from '../world.ts'

const P = 'invalid_exact_stellar_payload_'
const elsewhere = usdcContracts['stellar:pubnet']
const stranger = Keypair.random().publicKey()

const sourceOf = (address: string): xdr.MuxedAccount =>
  xdr.MuxedAccount.keyTypeEd25519(Keypair.fromPublicKey(address).rawPublicKey())

/** The same account under an id of a customer. */
export const muxed = (address: string, id = 42n): string =>
  encodeMuxedAccountToAddress(
    xdr.MuxedAccount.keyTypeMuxedEd25519(
      new xdr.MuxedAccountMed25519({
        id,
        ed25519: Keypair.fromPublicKey(address).rawPublicKey(),
      }),
    ),
  )

/** The call has been read, so that the payer is known. */
const refused =
  (plan: (world: World) => Partial<PaymentPlan>, message: (world: World) => string) =>
  async (world: World): Promise<Provocation> => ({
    body: await world.pay(plan(world)),
    message: message(world),
    payer: world.payer.address,
  })

const args = (
  { payer, seller }: World,
  { to = seller.address, amount = i128(100_000n) }: { to?: string; amount?: xdr.ScVal },
) => ({ args: [addressValue(payer.address), addressValue(to), amount] })

export const accountCases: readonly RefusalCase[] = [
  {
    code: `${P}unsafe_tx_or_op_source`,
    when: 'for the sponsor as source of the transaction',
    provoke: refused(
      ({ sponsor }) => ({
        afterwards: ({ transaction }) => {
          transaction.sourceAccount = sourceOf(sponsor)
        },
      }),
      ({ sponsor }) => `source ${sponsor} is one of the facilitator's own accounts`,
    ),
  },
  {
    code: `${P}unsafe_tx_or_op_source`,
    when: 'for a channel under an id as source of the operation',
    provoke: refused(
      ({ channel }) => ({
        afterwards: ({ operation }) => {
          operation.sourceAccount = xdr.MuxedAccount.keyTypeMuxedEd25519(
            new xdr.MuxedAccountMed25519({
              id: 42n,
              ed25519: Keypair.fromPublicKey(channel).rawPublicKey(),
            }),
          )
        },
      }),
      ({ channel }) => `source ${muxed(channel)} is one of the facilitator's own accounts`,
    ),
  },
  ...(['sponsor', 'channel'] as const).map(
    (role): RefusalCase => ({
      code: `${P}facilitator_is_payer`,
      when: `for the ${role}`,
      provoke: async (world) => ({
        body: await world.pay({ payer: { address: world[role], key: Keypair.random() } }),
        message: "the transfer is from one of the facilitator's own accounts",
      }),
    }),
  ),
  {
    code: `${P}wrong_asset`,
    when: 'for a call to another contract',
    provoke: refused(
      () => ({
        afterwards: ({ call }) => {
          call.contractAddress = Address.fromString(elsewhere).toScAddress()
        },
      }),
      () => `the call is to contract ${elsewhere}, expected ${usdcContracts['stellar:testnet']}`,
    ),
  },
  {
    code: `${P}wrong_recipient`,
    when: 'for a signed transfer to somebody else',
    provoke: refused(
      (world) => ({ call: args(world, { to: stranger }) }),
      ({ seller }) => `the transfer is to ${stranger}, expected ${seller.address}`,
    ),
  },
  {
    code: `${P}wrong_recipient`,
    when: 'for the same account under an id that was not asked for',
    provoke: refused(
      (world) => ({ call: args(world, { to: muxed(world.seller.address) }) }),
      ({ seller }) => `the transfer is to ${muxed(seller.address)}, expected ${seller.address}`,
    ),
  },
  {
    code: `${P}self_payment`,
    when: 'for the payer as recipient',
    provoke: refused(
      ({ payer }) => ({ payTo: payer.address }),
      ({ payer }) => `payer and recipient are both ${payer.address}`,
    ),
  },
  {
    code: `${P}self_payment`,
    when: 'for the payer under an id as recipient',
    provoke: refused(
      ({ payer }) => ({ payTo: muxed(payer.address) }),
      ({ payer }) => `payer and recipient are both ${payer.address}`,
    ),
  },
  {
    code: `${P}wrong_amount`,
    when: 'for a signed transfer of one unit less',
    provoke: refused(
      (world) => ({ call: args(world, { amount: i128(99_999n) }) }),
      () => 'the transfer is of 99999 base units, expected 100000',
    ),
  },
  {
    code: `${P}wrong_amount`,
    when: 'for an amount of another type',
    provoke: refused(
      (world) => ({ call: args(world, { amount: nativeToScVal(100_000n, { type: 'u64' }) }) }),
      () => 'argument 2 of transfer is of type u64, expected i128',
    ),
  },
  {
    code: `${P}unsupported_preconditions`,
    when: 'for a memo',
    provoke: refused(
      () => ({
        afterwards: ({ transaction }) => {
          transaction.memo = xdr.Memo.memoId(7n)
        },
      }),
      () => 'the transaction sets memo, which a sponsored settlement cannot keep',
    ),
  },
  {
    code: `${P}unsupported_preconditions`,
    when: 'for bounds on ledgers and sequence numbers',
    provoke: refused(
      () => ({
        afterwards: ({ transaction }) => {
          transaction.cond = xdr.Preconditions.precondV2(
            new xdr.PreconditionsV2({
              timeBounds: null,
              ledgerBounds: new xdr.LedgerBounds({ minLedger: 1, maxLedger: 0 }),
              minSeqNum: null,
              minSeqAge: 5n,
              minSeqLedgerGap: 0,
              extraSigners: [],
            }),
          )
        },
      }),
      () =>
        'the transaction sets ledgerBounds, minSeqAge, which a sponsored settlement cannot keep',
    ),
  },
]
