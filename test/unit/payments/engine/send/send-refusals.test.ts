import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { bidAgain } from '../../../../../src/payments/engine/send/bid-again.ts'
import { refusalOf } from '../../../../../src/payments/engine/send/send-refusals.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import { settlementFee } from '../../../../../src/stellar/transactions/settlement-envelope.ts'

describe('refusalOf', () => {
  test.each([
    ['undecided', [undefined, 'txBadSeq', 'txTooEarly', 'txTooLate']],
    ['network', ['txInsufficientFee']],
    [
      'sponsor',
      ['txInsufficientBalance', 'txNoAccount', 'txBadAuth', 'txBadAuthExtra', 'txInternalError'],
    ],
    [
      'payment',
      ['txMalformed', 'txSorobanInvalid', 'txFailed', 'txMissingOperation', 'txNotSupported'],
    ],
  ])('is %s for %s', (refusal, codes) => {
    for (const code of codes) expect(refusalOf(code)).toBe(refusal)
  })

  test.each(['opNoAccount', 'opBadAuth'])('is sponsor for txFailed, %s', (operationCode) => {
    expect(refusalOf('txFailed', operationCode)).toBe('sponsor')
  })

  test('spells the codes as the SDK reads them', () => {
    for (const code of ['txInsufficientBalance', 'txNoAccount', 'txBadAuthExtra'] as const) {
      expect(xdr.TransactionResultResult[code]().type).toBe(code)
    }
  })
})

describe('bidAgain', () => {
  const quote = (bid: bigint) => {
    const [inclusionFee, resourceFee] = [asStroops(bid), asStroops(1_000n)]
    const totalFee = settlementFee(inclusionFee, resourceFee)
    const fees = { inclusionFee, resourceFee, totalFee }
    return { latestLedger: 1, simulatedOn: 1, transactionData: '', ...fees }
  }
  const limits = { cap: asStroops(1_000n), maxFee: asStroops(300_000n) }

  test.each<{
    when: string
    bid: bigint
    asked?: bigint
    maxFee?: bigint
    gives: bigint | undefined
  }>([
    { when: 'the network does not say what it asks for', bid: 100n, gives: 200n },
    { when: 'it asks for less than twice as much', bid: 100n, asked: 1_000n + 240n, gives: 200n },
    { when: 'it asks for more', bid: 100n, asked: 1_000n + 601n, gives: 301n },
    { when: 'it asks for just the cap', bid: 100n, asked: 1_000n + 2_000n, gives: 1_000n },
    { when: 'it asks for more than the cap', bid: 100n, asked: 1_000n + 2_001n, gives: undefined },
    { when: 'twice as much exceeds the cap', bid: 600n, gives: 1_000n },
    { when: 'the bid is at the cap', bid: 1_000n, gives: undefined },
    { when: 'a settlement may not cost so much', bid: 100n, maxFee: 1_300n, gives: 150n },
    { when: 'a settlement may not cost more', bid: 150n, maxFee: 1_300n, gives: undefined },
    { when: 'it names a fee below the resource fee', bid: 100n, asked: 200n, gives: 200n },
  ])('bids $gives when $when', ({ bid, asked, maxFee, gives }) => {
    const feeWanted = asked === undefined ? undefined : asStroops(asked)
    const given = { ...limits, ...(maxFee !== undefined && { maxFee: asStroops(maxFee) }) }
    const higher = bidAgain(quote(bid), feeWanted, given)
    expect(higher).toEqual(gives === undefined ? undefined : quote(gives))
  })
})
