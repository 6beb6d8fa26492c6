import fc from 'fast-check'
import { expect, test } from 'vitest'
import { classifyTransaction } from '../../../../src/explorer/classify/classify.ts'
import type { RawTransaction } from '../../../../src/stellar/rpc/pages/transaction-pages.ts'
import { passphrase, sponsor, synthetic } from '../../../support/explorer/synthetic-transaction.ts'

const options = { passphrase, uptoContracts: new Set<string>(), watchedAssets: 'all' } as const
const classify = (transaction: RawTransaction) => classifyTransaction(transaction, options)

const valid = synthetic({ feeSource: sponsor })
const envelope = Buffer.from(String(valid.raw['envelopeXdr']), 'base64')
const members = ['envelopeXdr', 'resultXdr', 'events', 'resultMetaXdr', 'diagnosticEventsXdr']

test('members of any JSON never make the classifier throw', () => {
  fc.assert(
    fc.property(fc.constantFrom(...members, 'envelopeJson'), fc.jsonValue(), (name, value) => {
      const { [name]: _, ...others } = valid.raw
      const found = classify({ ...valid, raw: { ...others, [name]: value } })
      if (name === 'envelopeXdr') expect(found).toBe('no_call')
    }),
    { numRuns: 500 },
  )
})

test('an envelope that was cut off is unreadable', () => {
  const call = envelope.indexOf('transfer') + 'transfer'.length
  const lengths = fc.integer({ min: call, max: envelope.indexOf('transfer', call) })
  fc.assert(
    fc.property(lengths, (length) => {
      const envelopeXdr = envelope.subarray(0, length).toString('base64')
      expect(classify({ ...valid, raw: { ...valid.raw, envelopeXdr } })).toEqual({
        skipped: 'unreadable',
      })
    }),
  )
})

test('an envelope whose bytes were changed is classified, whatever it became', () => {
  const changes = fc.array(fc.tuple(fc.nat({ max: envelope.length - 1 }), fc.nat({ max: 255 })), {
    minLength: 1,
    maxLength: 8,
  })
  fc.assert(
    fc.property(changes, (changed) => {
      const bytes = Buffer.from(envelope)
      for (const [at, value] of changed) bytes[at] = value
      const envelopeXdr = bytes.toString('base64')
      const found = classify({ ...valid, raw: { ...valid.raw, envelopeXdr } })
      expect(found === 'no_call' || 'payment' in found || 'skipped' in found).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('garbage in place of results and events is unreadable', () => {
  const garbage = [
    { resultXdr: 'AAAA' },
    { resultXdr: undefined },
    { events: { contractEventsXdr: [['AAAA']] } },
    { events: { contractEventsXdr: 'AAAA' } },
    { events: { contractEventsJson: [[{ ext: 'v9' }]] } },
    { events: undefined },
    { events: undefined, resultMetaXdr: 'AAAA' },
    { events: undefined, diagnosticEventsXdr: ['AAAA'] },
    { events: undefined, diagnosticEventsXdr: 7 },
  ]
  for (const changed of garbage) {
    const raw = { ...valid.raw, ...changed }
    expect(classify({ ...valid, raw })).toEqual({ skipped: 'unreadable' })
  }
})

test('values nested without an end are unreadable', () => {
  const deep = Buffer.from([0, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 1])
  const innermost = Buffer.from([0, 0, 0, 1])
  const bytes = Buffer.concat([...Array(100_000).fill(deep), innermost])
  const at = envelope.indexOf('transfer') + 'transfer'.length + 4
  const envelopeXdr = Buffer.concat([envelope.subarray(0, at), bytes]).toString('base64')
  const found = classify({ ...valid, raw: { ...valid.raw, envelopeXdr } })
  expect(found).toEqual({ skipped: 'unreadable' })
})
