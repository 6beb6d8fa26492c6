import { Operation } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../../../../examples/signer-sidecar/policy/refusal.ts'
import { callOperation, envelopeOf, examined, muxed, sponsor } from './examined.ts'
import {
  begin,
  channel,
  create,
  end,
  mark,
  merge,
  other,
  pay,
  stranger,
  withSource,
} from './operations.ts'

describe('any transaction', () => {
  const addresses = fc.constantFrom(sponsor, other, channel, stranger)
  const operation = fc.oneof(
    fc.tuple(addresses, addresses).map(([source, to]) => pay(to, source)),
    fc.tuple(addresses, addresses).map(([source, to]) => merge(source, to)),
    fc.tuple(addresses, addresses).map(([source, to]) => begin(source, to)),
    addresses.map(end),
    fc.tuple(addresses, fc.constantFrom('0', '1')).map(([to, xlm]) => create(to, xlm)),
    addresses.map((source) => Operation.revokeAccountSponsorship({ source, account: channel })),
    addresses.map((source) => Operation.setOptions({ source, masterWeight: 1 })),
    addresses.map((source) => callOperation(source)),
    addresses.map((source) => withSource(mark, muxed(source))),
  )

  it('that is signed sends no XLM of the sponsor to anybody but its recipients, and changes no right', () => {
    fc.assert(
      fc.property(
        fc.array(operation, { minLength: 1, maxLength: 4 }),
        fc.record({
          source: addresses,
          soroban: fc.boolean(),
          payer: fc.constantFrom(undefined, sponsor),
        }),
        (operations, parts) => {
          if (examined(envelopeOf(operations, parts)) instanceof Refusal) return
          for (const { sourceAccount, body } of operations) {
            const isOurs = sourceAccount?.toXdr('base64') === muxed(sponsor).toXdr('base64')
            expect(body.type).not.toBe('setOptions')
            if (body.type === 'createAccount') expect(body.createAccountOp.startingBalance).toBe(0n)
            if (!isOurs) continue
            expect(body.type).not.toBe('invokeHostFunction')
            const to =
              body.type === 'payment'
                ? body.paymentOp.destination
                : body.type === 'accountMerge'
                  ? body.destination
                  : undefined
            if (to) expect(to.toXdr('base64')).toBe(muxed(other).toXdr('base64'))
          }
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
