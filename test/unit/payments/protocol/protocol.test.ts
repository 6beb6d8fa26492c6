import { describe, expect, it, test } from 'vitest'
import { readPaymentRequest } from '../../../../src/payments/protocol/protocol.ts'
import { request } from './payment-builder.ts'

const body = async () => structuredClone(await request()) as Record<string, Record<string, unknown>>

describe('readPaymentRequest', () => {
  it('keeps members it does not know', async () => {
    const given = { ...(await body()), note: 'kept' }
    expect(readPaymentRequest(given)).toMatchObject({ ok: true, request: { note: 'kept' } })
  })

  it('lists every problem of the outline at once, before it reads the members', () => {
    expect(readPaymentRequest({ x402Version: '2', paymentPayload: [], other: 1 })).toEqual({
      ok: false,
      problem: [
        'x402Version: Invalid input: expected number, received string',
        'paymentPayload: Invalid input: expected object, received array',
        'paymentRequirements: Invalid input: expected object, received undefined',
      ].join('; '),
    })
  })

  it('reads null on an optional member as absent', async () => {
    const given = await body()
    given['paymentRequirements'] = { ...given['paymentRequirements'], extra: null, asset: null }
    const reading = readPaymentRequest(given)
    if (!reading.ok) throw new Error(reading.problem)
    expect(reading.request.paymentRequirements.extra).toBeUndefined()
    expect(reading.request.paymentRequirements.asset).toBeUndefined()
  })

  it('refuses a body that is nested too deep, in any member', async () => {
    const given = await body()
    const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    const withExtension = (levels: number) =>
      readPaymentRequest({
        ...given,
        paymentPayload: { ...given['paymentPayload'], extensions: { deep: nested(levels) } },
      })
    expect(withExtension(20)).toMatchObject({ ok: true })
    const problem = 'body: nested more than 64 levels deep'
    expect(withExtension(60_000)).toEqual({ ok: false, problem })
  })

  it('counts the problems beyond ten', () => {
    const wrong = { scheme: 1, network: 1, asset: 1, payTo: 1, amount: 1, maxTimeoutSeconds: '1' }
    const paymentPayload = { x402Version: 2, accepted: wrong, payload: {} }
    const reading = readPaymentRequest({
      x402Version: 2,
      paymentPayload,
      paymentRequirements: wrong,
    })
    if (reading.ok) throw new Error('twelve members are wrong')
    expect(reading.problem).toMatch(/^paymentPayload\.accepted\.scheme: .*; 2 more$/)
  })

  it.each([7, 'x', [], true, { url: 7 }, { tags: 'x' }, { bazaar: [] }])(
    'reads the resource and the extensions %j of a payment as they are',
    async (any) => {
      const given = await body()
      const paymentPayload = { ...given['paymentPayload'], resource: any, extensions: any }
      const reading = readPaymentRequest({ ...given, paymentPayload })
      if (!reading.ok) throw new Error(reading.problem)
      expect(reading.request.paymentPayload).toMatchObject({ resource: any, extensions: any })
    },
  )

  test.each([
    ['the body', () => null, 'body: '],
    ['the body', () => [], 'body: '],
    ['x402Version', (given: object) => ({ ...given, x402Version: '2' }), 'x402Version: '],
    [
      'paymentPayload',
      (given: object) => ({ ...given, paymentPayload: undefined }),
      'paymentPayload: ',
    ],
    [
      'paymentPayload.accepted',
      (given: Record<string, object>) => ({
        ...given,
        paymentPayload: { ...given['paymentPayload'], accepted: undefined },
      }),
      'paymentPayload.accepted: ',
    ],
    [
      'paymentPayload.payload',
      (given: Record<string, object>) => ({
        ...given,
        paymentPayload: { ...given['paymentPayload'], payload: 'text' },
      }),
      'paymentPayload.payload: ',
    ],
    [
      'paymentRequirements.scheme',
      (given: Record<string, object>) => ({
        ...given,
        paymentRequirements: { ...given['paymentRequirements'], scheme: undefined },
      }),
      'paymentRequirements.scheme: ',
    ],
    [
      'paymentRequirements.amount',
      (given: Record<string, object>) => ({
        ...given,
        paymentRequirements: { ...given['paymentRequirements'], amount: 5 },
      }),
      'paymentRequirements.amount: ',
    ],
  ])('names %s when it has the wrong shape', async (_, spoil, says) => {
    const reading = readPaymentRequest(spoil(await body()))
    expect(reading).toEqual({ ok: false, problem: expect.stringContaining(says) })
  })

  it('names every problem at once', () => {
    const reading = readPaymentRequest({})
    if (reading.ok) throw new Error('an empty body was read')
    expect(reading.problem).toContain('x402Version')
    expect(reading.problem).toContain('paymentPayload')
    expect(reading.problem).toContain('paymentRequirements')
  })
})
