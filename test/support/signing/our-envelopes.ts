/** Every transaction that the sponsor signs, as the functions of src/stellar/transactions build them. */
import { SorobanDataBuilder, xdr } from '@stellar/stellar-sdk'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import type { Signer } from '../../../src/stellar/accounts/signer.ts'
import {
  type ChannelTerms,
  handOverEnvelope,
  mergeSponsorEnvelope,
  paySponsorsEnvelope,
  provisionEnvelope,
  retireEnvelope,
} from '../../../src/stellar/transactions/channel-envelopes.ts'
import { contractWorkEnvelope } from '../../../src/stellar/transactions/contract-envelope.ts'
import {
  buildSettlement,
  type SettlementTerms,
} from '../../../src/stellar/transactions/settlement-envelope.ts'

export interface Accounts {
  readonly sponsor: Signer
  /** Another sponsor of the same owner. */
  readonly other: Signer
  readonly channels: readonly Signer[]
  readonly source: Signer
}

export interface OurEnvelope {
  readonly name: string
  readonly purpose: 'settlement' | 'channels' | 'rotation' | 'contract'
  /** Base64: what the sponsor is asked to sign, its own signatures left out. */
  readonly envelopes: readonly string[]
}

export const MARK = 'x402.svc.dev/store'
export const transactionData = new SorobanDataBuilder()
  .setResourceFee(40_000)
  .build()
  .toXdr('base64')

type Terms = Pick<SettlementTerms, 'network' | 'invocation' | 'maxTime'>

export async function settlementEnvelope(
  terms: Terms,
  { sponsor, source }: Accounts,
  sequence = 77n,
) {
  const { envelopeXdr } = await buildSettlement({
    ...terms,
    channel: source,
    sponsor,
    sequence,
    transactionData,
    inclusionFee: asStroops(150n),
    maxLedger: 4_321,
  })
  return forSponsor(envelopeXdr, sponsor)
}

export async function ourEnvelopes(
  terms: Terms,
  accounts: Accounts,
): Promise<readonly OurEnvelope[]> {
  const { network, maxTime } = terms
  const { sponsor, other, channels, source } = accounts
  const mark = { name: MARK, value: 'store-1' }
  const noMark = { name: MARK, value: undefined }
  const base: ChannelTerms = {
    network,
    sponsor,
    sequence: 5n,
    channels,
    inclusionFee: asStroops(100n),
    maxTime,
  }
  const [one] = channels
  if (!one) throw new Error('no channel')
  const payment = { destination: other.address, amount: asStroops(5_000n) }
  const taken = { to: other, account: one.address }
  const work = {
    network,
    sponsor,
    transactionData,
    inclusionFee: asStroops(100n),
    maxTime,
    sequence: 9n,
  }
  const wasmHash = 'ab'.repeat(32)
  const works = {
    extension: { kind: 'extend', keys: [], toLedgers: 1_000 },
    restoration: { kind: 'restore', keys: [] },
    upload: { kind: 'upload', wasm: new Uint8Array(8) },
    creation: { kind: 'create', deployer: sponsor.address, salt: new Uint8Array(32), wasmHash },
  } as const

  const all: readonly (readonly [string, OurEnvelope['purpose'], unknown])[] = [
    ['channels are created', 'channels', provisionEnvelope(base)],
    ['channels are created with the mark', 'channels', provisionEnvelope({ ...base, mark })],
    ['the mark alone is set', 'channels', provisionEnvelope({ ...base, channels: [], mark })],
    ['channels are created from a channel', 'channels', provisionEnvelope({ ...base, source })],
    ['channels are merged', 'channels', retireEnvelope(base)],
    [
      'channels are merged and the mark removed',
      'channels',
      retireEnvelope({ ...base, mark: noMark }),
    ],
    ['channels are merged from a channel', 'channels', retireEnvelope({ ...base, source })],
    [
      'channels are merged and XLM rescued',
      'rotation',
      retireEnvelope({ ...base, mark: noMark, source }, payment),
    ],
    [
      'channels of a sponsor are merged at the cost of this one',
      'rotation',
      retireEnvelope({ ...base, sponsor: other, payer: sponsor, source }),
    ],
    [
      'XLM of a sponsor is rescued at the cost of this one',
      'rotation',
      retireEnvelope(
        { ...base, sponsor: other, payer: sponsor, source, mark: noMark },
        { ...payment, destination: sponsor.address },
      ),
    ],
    [
      'XLM of this sponsor is rescued at the cost of another one',
      'rotation',
      retireEnvelope({ ...base, payer: other }, payment),
    ],
    [
      'XLM goes to a recipient',
      'rotation',
      paySponsorsEnvelope({ ...base, channels: [] }, payment),
    ],
    [
      'XLM goes to a recipient from a channel',
      'rotation',
      paySponsorsEnvelope({ ...base, channels: [], source }, payment),
    ],
    [
      'the sponsor is merged into a recipient',
      'rotation',
      mergeSponsorEnvelope({ ...base, channels: [] }, other.address),
    ],
    [
      'a reserve is handed to a recipient',
      'rotation',
      handOverEnvelope({ ...base, channels: [] }, taken),
    ],
    [
      'a reserve is handed to a recipient from a channel',
      'rotation',
      handOverEnvelope({ ...base, channels: [], source }, taken),
    ],
    [
      'a reserve is taken from a recipient',
      'rotation',
      handOverEnvelope(
        { ...base, channels: [], sponsor: other },
        { to: sponsor, account: one.address },
      ),
    ],
    ...Object.entries(works).flatMap(([name, each]) => [
      [`a contract's ${name}`, 'contract', contractWorkEnvelope({ ...work, work: each })] as const,
      [
        `a contract's ${name} from a channel`,
        'contract',
        contractWorkEnvelope({ ...work, work: each, source }),
      ] as const,
    ]),
  ]
  const built = await Promise.all(
    all.map(async ([name, purpose, made]) => {
      const { envelopeXdr } = Object(await made)
      return { name, purpose, envelopes: forSponsor(envelopeXdr, sponsor) }
    }),
  )
  const settlement = await settlementEnvelope(terms, accounts)
  return [{ name: 'a settlement', purpose: 'settlement', envelopes: settlement }, ...built]
}

/** What the sponsor signs of a complete envelope: the transaction inside a fee bump where it is a source there, and the fee bump. */
function forSponsor(envelopeXdr: string, sponsor: Signer): readonly string[] {
  const envelope = xdr.TransactionEnvelope.fromXdr(envelopeXdr, 'base64')
  if (envelope.type === 'envelopeTypeTx') return [unsigned(envelope.v1, sponsor)]
  if (envelope.type !== 'envelopeTypeTxFeeBump') throw new Error(envelope.type)
  const { tx } = envelope.feeBump
  const inner = tx.innerTx.v1
  const isSource = inner.tx.operations.some(({ sourceAccount }) => isOf(sourceAccount, sponsor))
  const bump = xdr.TransactionEnvelope.envelopeTypeTxFeeBump(
    new xdr.FeeBumpTransactionEnvelope({ tx, signatures: [] }),
  ).toXdr('base64')
  if (!isOf(tx.feeSource, sponsor)) return [unsigned(inner, sponsor)]
  return isSource ? [unsigned(inner, sponsor), bump] : [bump]
}

const unsigned = ({ tx, signatures }: xdr.TransactionV1Envelope, { publicKey }: Signer): string =>
  xdr.TransactionEnvelope.envelopeTypeTx(
    new xdr.TransactionV1Envelope({
      tx,
      signatures: signatures.filter(
        ({ hint }) => Buffer.compare(hint.toBytes(), publicKey.subarray(-4)) !== 0,
      ),
    }),
  ).toXdr('base64')

const isOf = (account: xdr.MuxedAccount | null, { publicKey }: Signer): boolean =>
  account?.type === 'keyTypeEd25519' && Buffer.compare(account.ed25519.toBytes(), publicKey) === 0
