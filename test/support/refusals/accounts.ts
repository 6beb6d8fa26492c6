import { Address, Keypair, nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import { addressValue, i128, muxed, type PaymentPlan, usdc } from '../payments.ts'
import { P, type Parties, type RefusalRow, withoutPayer, withPayer } from './refusal.ts'

const elsewhere = usdcContracts['stellar:pubnet']
const stranger = Keypair.random().publicKey()

const accountOf = (address: string): xdr.MuxedAccount =>
  xdr.MuxedAccount.keyTypeEd25519(Keypair.fromPublicKey(address).rawPublicKey())

/** A signed transfer with another recipient or amount than required. */
const transfer = (
  { payer, seller }: Parties,
  {
    to = addressValue(seller.address),
    amount = i128(100_000n),
  }: { to?: xdr.ScVal; amount?: xdr.ScVal },
): Partial<PaymentPlan> => ({ call: { args: [addressValue(payer.address), to, amount] } })

const wrongRecipient = (
  when: string,
  plan: (parties: Parties) => Partial<PaymentPlan>,
  message: (parties: Parties) => string,
): RefusalRow => ({ code: `${P}wrong_recipient`, when, build: withPayer(plan, message) })

/** One precondition of the transaction, and the name that the refusal gives it. */
const precondition = (
  name: string,
  set: Partial<ConstructorParameters<typeof xdr.PreconditionsV2>[0]>,
): RefusalRow => ({
  code: `${P}unsupported_preconditions`,
  when: `for ${name}`,
  build: withPayer(
    {
      afterwards: ({ transaction }) => {
        transaction.cond = xdr.Preconditions.precondV2(
          new xdr.PreconditionsV2({
            timeBounds: null,
            ledgerBounds: null,
            minSeqNum: null,
            minSeqAge: 0n,
            minSeqLedgerGap: 0,
            extraSigners: [],
            ...set,
          }),
        )
      },
    },
    `the transaction sets ${name}, which a sponsored settlement cannot keep`,
  ),
})

const isOurs = "is one of the facilitator's own accounts"

export const accountRefusals: readonly RefusalRow[] = [
  ...(['sponsor', 'channel'] as const).flatMap((role): RefusalRow[] => [
    {
      code: `${P}unsafe_tx_or_op_source`,
      when: `for the ${role} as source of the transaction`,
      build: withPayer(
        (parties) => ({
          afterwards: ({ transaction }) => {
            transaction.sourceAccount = accountOf(parties[role])
          },
        }),
        (parties) => `source ${parties[role]} ${isOurs}`,
      ),
    },
    {
      code: `${P}unsafe_tx_or_op_source`,
      when: `for the ${role} as source of the operation`,
      build: withPayer(
        (parties) => ({
          afterwards: ({ operation }) => {
            operation.sourceAccount = accountOf(parties[role])
          },
        }),
        (parties) => `source ${parties[role]} ${isOurs}`,
      ),
    },
    {
      code: `${P}facilitator_is_payer`,
      when: `for the ${role}`,
      build: withoutPayer(
        (parties) => ({ payer: { address: parties[role], key: Keypair.random() } }),
        "the transfer is from one of the facilitator's own accounts",
      ),
    },
  ]),
  {
    code: `${P}unsafe_tx_or_op_source`,
    when: 'for a channel under an id as source of the operation',
    build: withPayer(
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
      ({ channel }) => `source ${muxed(channel)} ${isOurs}`,
    ),
  },
  {
    code: `${P}wrong_asset`,
    when: 'for a call to another contract',
    build: withPayer(
      {
        afterwards: ({ call }) => {
          call.contractAddress = Address.fromString(elsewhere).toScAddress()
        },
      },
      `the call is to contract ${elsewhere}, expected ${usdc}`,
    ),
  },
  wrongRecipient(
    'for a signed transfer to another account',
    (parties) => transfer(parties, { to: addressValue(stranger) }),
    ({ seller }) => `the transfer is to ${stranger}, expected ${seller.address}`,
  ),
  wrongRecipient(
    'for a recipient that is no address',
    (parties) => transfer(parties, { to: i128(1n) }),
    ({ seller }) => `the transfer is to a value of type i128, expected ${seller.address}`,
  ),
  wrongRecipient(
    'for the same account under an id that was not required',
    (parties) => transfer(parties, { to: addressValue(muxed(parties.seller.address)) }),
    ({ seller }) => `the transfer is to ${muxed(seller.address)}, expected ${seller.address}`,
  ),
  wrongRecipient(
    'for the same account without the required id',
    ({ seller }) => ({ terms: { payTo: muxed(seller.address) } }),
    ({ seller }) => `the transfer is to ${seller.address}, expected ${muxed(seller.address)}`,
  ),
  {
    code: `${P}self_payment`,
    when: 'for the payer as recipient',
    build: withPayer(
      ({ payer }) => ({ payTo: payer.address }),
      ({ payer }) => `payer and recipient are both ${payer.address}`,
    ),
  },
  {
    code: `${P}self_payment`,
    when: 'for the payer under an id as recipient',
    build: withPayer(
      ({ payer }) => ({ payTo: muxed(payer.address) }),
      ({ payer }) => `payer and recipient are both ${payer.address}`,
    ),
  },
  ...[99_999n, 100_001n, -100_000n, 100_000n + (1n << 64n)].map(
    (moved): RefusalRow => ({
      code: `${P}wrong_amount`,
      when: `for a signed transfer of ${moved} base units`,
      build: withPayer(
        (parties) => transfer(parties, { amount: i128(moved) }),
        `the transfer is for ${moved} base units, expected 100000`,
      ),
    }),
  ),
  {
    code: `${P}wrong_amount`,
    when: 'for an amount of another type',
    build: withPayer(
      (parties) => transfer(parties, { amount: nativeToScVal(100_000n, { type: 'u64' }) }),
      'argument 2 of transfer is of type u64, expected i128',
    ),
  },
  {
    code: `${P}unsupported_preconditions`,
    when: 'for a memo',
    build: withPayer(
      {
        afterwards: ({ transaction }) => {
          transaction.memo = xdr.Memo.memoId(7n)
        },
      },
      'the transaction sets memo, which a sponsored settlement cannot keep',
    ),
  },
  precondition('ledgerBounds', {
    ledgerBounds: new xdr.LedgerBounds({ minLedger: 1, maxLedger: 0 }),
  }),
  precondition('minSeqNum', { minSeqNum: 1n }),
  precondition('minSeqAge', { minSeqAge: 5n }),
  precondition('minSeqLedgerGap', { minSeqLedgerGap: 1 }),
  precondition('extraSigners', {
    extraSigners: [
      xdr.SignerKey.signerKeyTypeEd25519(Keypair.fromPublicKey(stranger).rawPublicKey()),
    ],
  }),
  precondition('ledgerBounds, minSeqAge', {
    ledgerBounds: new xdr.LedgerBounds({ minLedger: 1, maxLedger: 0 }),
    minSeqAge: 5n,
  }),
]
