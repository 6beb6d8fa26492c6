import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import { terms, trial, usdc } from '../../facts.ts'
import type { ProblemCase } from '../case.ts'

const fee = (stroops: bigint) => asStroops(stroops)

/** N2 of a trial of the operator: settings under which nothing can be paid. */
export const termsCases: readonly ProblemCase[] = [
  {
    finds: 'terms-timeout-too-short',
    when: 'N2: a payment is valid for a second',
    given: terms({ timeoutMaxSeconds: 1 }),
    says: /^problem: a payment may be valid for 1 s at most, by TESTNET_TIMEOUT_MAX_SECONDS \(timeouts\.max\): that is 1 ledger, a settlement needs 2, so each payment expires first -> raise TESTNET_TIMEOUT_MAX_SECONDS \(timeouts\.max\) to at least 10 s$/,
  },
  {
    finds: 'terms-timeout-too-short',
    when: 'the margin takes all of the ledgers',
    given: terms({ timeoutMaxSeconds: 60, expirationMarginLedgers: 12 }),
    says: /that is 12 ledgers, a settlement needs 13.* to at least 65 s$/,
  },
  {
    finds: { nothingIn: 'terms' },
    when: 'the margin leaves one ledger',
    given: terms({ timeoutMaxSeconds: 61, expirationMarginLedgers: 12 }),
  },
  {
    finds: { nothingIn: 'terms' },
    when: 'the timeout is two ledgers',
    given: terms({ timeoutMaxSeconds: 10, expirationMarginLedgers: 0 }),
  },
  {
    finds: 'terms-amount-of-nothing',
    when: 'N2: the largest amount is 0',
    given: terms({ assets: [{ ...usdc, max: 0n }] }),
    says: /^problem: TESTNET_ASSETS \(assets\[\]\.maxAmount\) of USDC is 0: each payment in it is refused -> raise it to at least 1/,
  },
  {
    finds: { nothingIn: 'terms' },
    when: 'the largest amount is 1',
    given: terms({ assets: [{ ...usdc, max: 1n }] }),
  },
  {
    finds: 'terms-asset-not-on-ledger',
    when: 'the ledger has no contract of the asset',
    given: { trial: trial({ isOnLedger: false, decimals: undefined }) },
    says: /^problem: contract CUSDC \(USDC\) is not on the ledger: .* -> correct TESTNET_ASSETS \(assets\[\]\.contract\)$/,
  },
  {
    finds: 'terms-fee-above-ceiling',
    when: 'N2: a payment costs more than the maximum fee',
    given: {
      ...terms({ maxTxFeeStroops: fee(20_000n) }),
      trial: trial(
        {},
        {
          exact: { kind: 'tooDear', least: fee(27_000n), likely: fee(33_231n) },
          upto: { kind: 'tooDear', least: fee(46_000n), likely: fee(52_702n) },
        },
      ),
    },
    says: /^problem: each payment is refused that costs more than the 20000 stroops of MAX_TX_FEE_STROOPS \(fees\.maxTxFeeStroops\), and the least is 27000 by exact in USDC, 46000 by upto in USDC -> raise MAX_TX_FEE_STROOPS \(fees\.maxTxFeeStroops\) to 106000$/,
  },
  {
    finds: 'terms-likely-fee-above-ceiling',
    when: 'a usual payment costs more than the maximum fee, and some may cost less',
    given: {
      ...terms({ maxTxFeeStroops: fee(30_000n) }),
      trial: trial({}, { exact: { kind: 'dear', least: fee(27_000n), likely: fee(33_231n) } }),
    },
    says: /^warning: most payments will be refused: MAX_TX_FEE_STROOPS \(fees\.maxTxFeeStroops\) is 30000 stroops, and a payment between two accounts costs about 33231 by exact in USDC -> raise MAX_TX_FEE_STROOPS \(fees\.maxTxFeeStroops\) to 67000$/,
  },
  {
    finds: 'terms-payment-refused',
    when: 'the token does something besides the transfer',
    given: { trial: trial({}, { exact: { kind: 'refused', why: 'the call makes 2 transfers' } }) },
    says: /^problem: each payment of the scheme exact in USDC is refused: the call makes 2 transfers -> leave USDC out of TESTNET_ASSETS/,
  },
  {
    finds: 'terms-decimals-differ',
    when: 'N2: USDC has other decimals than configured',
    given: { trial: trial({ asset: { ...usdc, decimals: 6 } }) },
    says: /^problem: USDC \(CUSDC\) has 7 decimals on the ledger, by TESTNET_ASSETS \(assets\[\]\.decimals\) it has 6: .* -> set its decimals to 7$/,
  },
  {
    finds: { nothingIn: 'trial-payments' },
    when: 'the contract states no decimals',
    given: { trial: trial({ decimals: undefined }) },
  },
  {
    finds: { nothingIn: 'trial-payments' },
    when: 'no holder is known, which blocks nothing',
    given: { trial: trial({}, { exact: { kind: 'notTried', why: 'the payer holds less' } }) },
    says: /^ok: USDC by exact not tried: the payer holds less$/,
    health: [],
  },
]
