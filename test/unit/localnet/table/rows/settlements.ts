import { type Keypair, xdr } from '@stellar/stellar-sdk'
import { usdc } from '../../../../../src/localnet/genesis/genesis-assets.ts'
import { type Settlement, settleCall, settleTransaction } from '../../upto-call.ts'
import { authority, channel, missing, payer, seller, sponsor, UNIT } from '../accounts.ts'
import { bumped, calls, kept, type Prepare, preparing, transfer } from '../calls.ts'
import { merge, pay } from '../operations.ts'
import { rawTx } from '../raw-envelopes.ts'
import { fails, rejected, rows, succeeds } from '../row.ts'
import { from, type Sending, sending } from '../transaction.ts'

const ofChannel = { source: channel }

/** A payment in the scheme `exact`: a transfer in a transaction of the channel. */
const exact = (amount = 5n) =>
  transfer({ from: payer, to: seller, amount: amount * UNIT, source: channel, asset: usdc })
const exactPaid = 'payer USDC -5, seller USDC +5, payer nonce +1'
const exactWithoutBid = sending(calls(exact(), ofChannel), async (net) => {
  const { operation, data } = await exact()(net)
  const ext = xdr.TransactionExt.sorobanData(data)
  return rawTx({ ...ofChannel, operations: [operation], bid: 0, ext }).build(net)
})
const tooMuch = kept(exact(60n))

/** A payment in the scheme `upto`, of 2 USDC or less, which the authority authorizes as the operation's source. */
const upto =
  (parts: Partial<Settlement> = {}): Prepare =>
  (net) =>
    settleCall(net, {
      ...{ payer, payTo: seller, authority, nonce: 1 },
      ...{ ceiling: 5n * UNIT, actual: 2n * UNIT },
      ...parts,
    })

const settles = (
  prepare = upto(),
  parties: { readonly authority?: Keypair; readonly signers?: Keypair[] } = { authority },
): Sending =>
  sending(calls(prepare, ofChannel), async (net) =>
    settleTransaction(net, await prepare(net), { channel, ...parties }),
  )
const signedBy = (...signers: Keypair[]) => settles(upto(), { authority, signers })
/** Without a fee bump the channel pays. */
const funded = { ledger: { channel: { balance: 100n * UNIT } } }
const nobody = settles(upto({ authority: missing }), { authority: missing })
const usedNonce = `upto payer ${'00000001'.padEnd(64, '0')}`
const allowance = 'USDC Allowance from payer spender upto'
const repeated = kept(upto({ actual: UNIT }))

/** Transactions of a facilitator: of a channel, in a fee bump of the sponsor. */
export const settlementRows = rows({
  'SEP-41 transfer': [
    succeeds('a payment is settled', bumped(calls(exact(), ofChannel)), {
      changes: exactPaid,
      events:
        'USDC: symbol transfer, address payer, address seller, string USDC:USDC issuer, i128 50000000',
    }),
    fails('Trapped', 'the payer cannot pay any more', bumped(calls(tooMuch.again, ofChannel)), {
      given: preparing(tooMuch, from(payer, pay(seller, '50', usdc))),
    }),
  ],
  'CAP-15 (protocol 23)': [
    succeeds('the inner transaction bids nothing', bumped(exactWithoutBid), exactPaid),
  ],
  'CAP-33': [
    succeeds('a channel merges into the sponsor', bumped(from(channel, merge(sponsor))), {
      changes:
        'channel account -1, channel thresholds removed, channel sponsor removed, channel sponsored -2, sponsor sponsoring -2',
    }),
  ],
  'OperationFrame::checkSignature': [
    rejected('opBadAuth', 'the source of the operation did not sign', signedBy(channel), funded),
    rejected('opBadAuth', 'it did not sign, in a fee bump', bumped(signedBy(channel))),
    fails('opNoAccount', 'the source of the operation is missing', bumped(nobody)),
  ],
  'TransactionFrame::commonValid': [
    rejected('txBadAuth', 'the channel did not sign', signedBy(authority), funded),
    rejected(
      'txFeeBumpInnerFailed txBadAuth',
      'it did not, in a fee bump',
      bumped(signedBy(authority)),
    ),
  ],
  'contracts/upto': [
    succeeds('the authority settles what was used', bumped(settles()), {
      changes: `payer USDC -2, seller USDC +2, payer nonce +1, ${usedNonce} = null, ${usedNonce} lives = 719 ledgers, ${allowance} +30000000, ${allowance} lives = 719 ledgers`,
    }),
    fails(
      'Trapped',
      'the operation has not the source that authorized it',
      bumped(settles(upto(), {})),
    ),
    fails('Trapped', 'the nonce was used', bumped(settles(repeated.again)), {
      given: preparing(repeated, bumped(settles())),
    }),
  ],
})
