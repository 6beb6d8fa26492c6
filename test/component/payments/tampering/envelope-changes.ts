/** Changes to the client's transaction around the authorization: its frame, its operation, its call. */
import { Address, Keypair, SorobanDataBuilder, xdr } from '@stellar/stellar-sdk'
import { addressValue, i128, type PaymentDraft } from '../../../support/payments.ts'
import type { Change, Parties } from './change.ts'

const rebuilt =
  'the settlement is a transaction of our own, which takes only the call and its entries over'

const accountOf = (address: string): xdr.MuxedAccount =>
  xdr.MuxedAccount.keyTypeEd25519(Keypair.fromPublicKey(address).rawPublicKey())

/** A name as an XDR symbol. */
export const named = (functionName: string): xdr.InvokeContractArgs['functionName'] =>
  new xdr.InvokeContractArgs({
    contractAddress: Address.contract(new Uint8Array(32)).toScAddress(),
    functionName,
    args: [],
  }).functionName

const harmlessFrame: readonly Change[] = [
  {
    name: 'transaction: another source',
    harmless: rebuilt,
    make: ({ transaction }, { thief }) => {
      transaction.sourceAccount = accountOf(thief.address)
    },
  },
  {
    name: 'transaction: another fee',
    harmless: rebuilt,
    make: ({ transaction }) => {
      transaction.fee = 4_000_000_000
    },
  },
  {
    name: 'transaction: another sequence number',
    harmless: rebuilt,
    make: ({ transaction }) => {
      transaction.seqNum = 77n
    },
  },
  {
    name: 'transaction: another time bound',
    harmless: `${rebuilt}; time is bounded by the price and by the authorization`,
    make: ({ transaction }) => {
      transaction.cond = xdr.Preconditions.precondTime(
        new xdr.TimeBounds({ minTime: 0n, maxTime: 1n }),
      )
    },
  },
  {
    name: 'transaction: resources of its own',
    harmless: `${rebuilt}; resources are those of our own simulation`,
    make: ({ transaction }) => {
      const data = new SorobanDataBuilder().setResourceFee(123_456_789).build()
      transaction.ext = xdr.TransactionExt.sorobanData(data)
    },
  },
  {
    name: 'transaction: a signature of a stranger',
    harmless: rebuilt,
    make: ({ signatures }, { thief }) => {
      signatures.push(
        new xdr.DecoratedSignature({
          hint: thief.key.rawPublicKey().subarray(-4),
          signature: thief.key.sign(new Uint8Array(32)),
        }),
      )
    },
  },
  {
    name: 'operation: another source',
    harmless: rebuilt,
    make: ({ operation }, { thief }) => {
      operation.sourceAccount = accountOf(thief.address)
    },
  },
]

const frame: readonly Change[] = [
  ...harmlessFrame,
  {
    name: 'transaction: the sponsor as source',
    make: ({ transaction }, { sponsor }) => {
      transaction.sourceAccount = accountOf(sponsor)
    },
  },
  {
    name: 'operation: a channel as source',
    make: ({ operation }, { channel }) => {
      operation.sourceAccount = accountOf(channel)
    },
  },
  {
    name: 'transaction: a memo',
    make: ({ transaction }) => {
      transaction.memo = xdr.Memo.memoText('for you')
    },
  },
  {
    name: 'transaction: bounds on ledgers',
    make: ({ transaction }) => {
      transaction.cond = xdr.Preconditions.precondV2(
        new xdr.PreconditionsV2({
          timeBounds: null,
          ledgerBounds: new xdr.LedgerBounds({ minLedger: 0, maxLedger: 4_000_000 }),
          minSeqNum: null,
          minSeqAge: 0n,
          minSeqLedgerGap: 0,
          extraSigners: [],
        }),
      )
    },
  },
  {
    name: 'transaction: the operation twice',
    make: ({ transaction, operation }) => {
      transaction.operations = [...transaction.operations, operation]
    },
  },
  {
    name: 'transaction: a payment to a thief before the operation',
    make: ({ transaction, operation }, { payer, thief }) => {
      const isAccount = payer.address.startsWith('G')
      const payment = new xdr.PaymentOp({
        destination: accountOf(thief.address),
        asset: xdr.Asset.assetTypeNative(),
        amount: 1n,
      })
      transaction.operations = [
        new xdr.Operation({
          sourceAccount: isAccount ? accountOf(payer.address) : null,
          body: xdr.OperationBody.payment(payment),
        }),
        operation,
      ]
    },
  },
]

const call = (
  what: string,
  make: (call: PaymentDraft['call'], parties: Parties) => void,
): Change => ({
  name: `call: ${what}`,
  make: ({ call: called }, parties) => make(called, parties),
})

const calls: readonly Change[] = [
  call('another contract', (called, { otherAsset }) => {
    called.contractAddress = Address.fromString(otherAsset).toScAddress()
  }),
  call('another function', (called) => {
    called.functionName = named('burn')
  }),
  call('a function that differs in case', (called) => {
    called.functionName = named('Transfer')
  }),
  call('another payer', (called, { victim }) => {
    called.args[0] = addressValue(victim.address)
  }),
  call('the sponsor as payer', (called, { sponsor }) => {
    called.args[0] = addressValue(sponsor)
  }),
  call('another recipient', (called, { thief }) => {
    called.args[1] = addressValue(thief.address)
  }),
  call('one unit more', (called) => {
    called.args[2] = i128(100_001n)
  }),
  call('one unit less', (called) => {
    called.args[2] = i128(99_999n)
  }),
  call('the amount negated', (called) => {
    called.args[2] = i128(-100_000n)
  }),
  call('payer and recipient exchanged', ({ args }) => {
    const [from, to] = args
    if (from && to) args.splice(0, 2, to, from)
  }),
  call('a further argument', ({ args }) => {
    args.push(xdr.ScVal.scvVoid())
  }),
  call('an argument less', ({ args }) => {
    args.pop()
  }),
  {
    name: 'call: the creation of a contract',
    make: ({ invocation }) => {
      invocation.hostFunction = xdr.HostFunction.hostFunctionTypeUploadContractWasm(
        new Uint8Array(8),
      )
    },
  },
]

export const envelopeChanges: readonly Change[] = [...frame, ...calls]
