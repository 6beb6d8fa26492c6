import { HTTPFacilitatorClient } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { SettleError, VerifyError } from '@x402/core/types'
import { HTTPFacilitatorClient as NextFacilitatorClient } from '@x402/core-next/server'
import {
  SettleError as NextSettleError,
  VerifyError as NextVerifyError,
} from '@x402/core-next/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeExtensionResponse } from '../../../src/catalog/outcome/encode-extension-response.ts'
import type { CatalogHooks } from '../../../src/payments/api/catalog-hooks.ts'
import { type Stack, startStack } from '../../support/stack.ts'
import {
  accountWithUsdc,
  payloadFor,
  priceFor,
  reach,
  stockClient,
} from '../../support/stock/stock-client.ts'

const releases = [
  {
    release: '2.9.0',
    Client: HTTPFacilitatorClient,
    errors: { VerifyError, SettleError },
  },
  {
    release: '2.27.0',
    Client: NextFacilitatorClient,
    errors: { VerifyError: NextVerifyError, SettleError: NextSettleError },
  },
] as const

const awaiting = { status: 'processing', code: 'awaiting_settlement', dropped: [] } as const
const malformed = {
  status: 'rejected',
  code: 'bazaar_extension_malformed',
  reason: 'Größe 日本',
  dropped: [],
} as const
const catalog: CatalogHooks = {
  preview: async () => encodeExtensionResponse('verify', awaiting),
  settled: async () => encodeExtensionResponse('settle', malformed),
}
/** What the hooks tell, decoded. */
const told = {
  verify: { bazaar: { phase: 'verify', status: 'processing', code: 'awaiting_settlement' } },
  settle: {
    bazaar: {
      phase: 'settle',
      status: 'rejected',
      code: 'bazaar_extension_malformed',
      rejectedReason: 'Größe 日本',
    },
  },
}

/** Over BODY_LIMIT_BYTES' default of 131,072. */
const OVERSIZED = 'x'.repeat(140_000)

describe.each(releases)(
  'HTTPFacilitatorClient of @x402/core $release',
  ({ release, Client, errors }) => {
    const opened = new AsyncDisposableStack()
    let stack: Stack
    let price: PaymentRequirements

    beforeAll(async () => {
      stack = opened.use(
        await startStack({ closeEveryMs: 'on-send', tls: true, catalog: () => catalog }),
      )
      reach(stack.localnet)
      price = priceFor((await accountWithUsdc(stack.localnet)).address)
    })
    afterAll(() => opened.disposeAsync())

    const client = (headers: Record<string, string> = {}) =>
      new Client({
        url: stack.baseUrl,
        createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: {} }),
      })

    const payment = async () => {
      const buyer = await accountWithUsdc(stack.localnet)
      const payload = await payloadFor(stockClient(stack.localnet, buyer), price)
      return { buyer, payload }
    }

    it('reads what is supported', async () => {
      const supported = await client().getSupported()
      expect(supported.kinds).toEqual([
        {
          x402Version: 2,
          scheme: 'exact',
          network: 'stellar:testnet',
          extra: { areFeesSponsored: true },
        },
      ])
      expect(supported.signers['stellar:*']?.[0]).toBe(stack.sponsor.address)
    })

    it('verifies, then settles', async () => {
      const { buyer, payload } = await payment()
      const verdict = await client().verify(payload, price)
      expect(verdict).toMatchObject({ isValid: true, payer: buyer.address })
      const settlement = await client().settle(payload, price)
      expect(settlement).toMatchObject({
        success: true,
        network: 'stellar:testnet',
        payer: buyer.address,
        transaction: expect.stringMatching(/^[0-9a-f]{64}$/),
      })
    })

    it('settles without an earlier verify, as the upfront flow does', async () => {
      const { payload } = await payment()
      await expect(client().settle(payload, price)).resolves.toMatchObject({ success: true })
    })

    it('gets the same answer when it settles the same payment twice', async () => {
      const { payload } = await payment()
      const first = await client().settle(payload, price)
      expect(first.success).toBe(true)
      await expect(client().settle(payload, price)).resolves.toEqual(first)
    })

    it('gets one transaction when it settles the same payment twice at once', async () => {
      const { payload } = await payment()
      const both = [client().settle(payload, price), client().settle(payload, price)]
      const [first, second] = await Promise.all(both)
      expect(first?.success).toBe(true)
      expect(second).toEqual(first)
    })

    it('reads what the catalog makes of the resource that a payment declares', async () => {
      const { buyer, payload } = await payment()
      const declaring = { ...payload, extensions: { bazaar: { info: {}, schema: {} } } }
      const verdict = await client().verify(declaring, price)
      const settlement = await client().settle(declaring, price)
      expect(verdict).toMatchObject({ isValid: true, payer: buyer.address })
      expect(settlement).toMatchObject({ success: true, payer: buyer.address })
      // The older one reads no such header.
      const read =
        release === '2.9.0' ? () => undefined : (phase: 'verify' | 'settle') => told[phase]
      expect(Reflect.get(verdict, 'extensionResponses')).toEqual(read('verify'))
      expect(Reflect.get(settlement, 'extensionResponses')).toEqual(read('settle'))
    })

    it('returns a refused payment as a verdict, not as an error', async () => {
      const { buyer, payload } = await payment()
      const dearer = { ...price, amount: '200000' }
      const altered = { ...payload, accepted: dearer } satisfies PaymentPayload
      await expect(client().verify(altered, dearer)).resolves.toMatchObject({
        isValid: false,
        invalidReason: 'invalid_exact_stellar_payload_wrong_amount',
        invalidMessage: expect.stringMatching(/./),
        payer: buyer.address,
      })
      await expect(client().settle(altered, dearer)).resolves.toMatchObject({
        success: false,
        errorReason: 'invalid_exact_stellar_payload_wrong_amount',
        errorMessage: expect.stringMatching(/./),
        transaction: '',
        network: 'stellar:testnet',
      })
    })

    describe('raises its typed errors', () => {
      const noPayload = { x402Version: 2 } as PaymentPayload
      const oversized = (payload: PaymentPayload) => ({
        ...payload,
        extensions: { big: OVERSIZED },
      })

      it.each([
        {
          when: 'the body is malformed',
          status: 400,
          reason: 'invalid_payload',
          send: () => noPayload,
        },
        {
          when: 'the body is oversized',
          status: 413,
          reason: 'payload_too_large',
          send: oversized,
        },
        {
          when: 'the content type is another',
          status: 415,
          reason: 'unsupported_media_type',
          send: (payload: PaymentPayload) => payload,
          headers: { 'Content-Type': 'text/plain' },
        },
      ])('when $when: $status $reason', async ({ status, reason, send, headers }) => {
        const { payload } = await payment()
        const sent = send(payload)

        const notVerified = await client(headers)
          .verify(sent, price)
          .catch((error: unknown) => error)
        expect(notVerified).toBeInstanceOf(errors.VerifyError)
        expect(notVerified).toMatchObject({
          statusCode: status,
          invalidReason: reason,
          invalidMessage: expect.stringMatching(/./),
        })

        const notSettled = await client(headers)
          .settle(sent, price)
          .catch((error: unknown) => error)
        expect(notSettled).toBeInstanceOf(errors.SettleError)
        expect(notSettled).toMatchObject({
          statusCode: status,
          errorReason: reason,
          errorMessage: expect.stringMatching(/./),
          transaction: '',
        })
      })

      it('when the network cannot be reached: 503 unexpected_verify_error, unexpected_settle_error', async () => {
        const { payload } = await payment()
        await stack.localnet.close()

        const notVerified = await client()
          .verify(payload, price)
          .catch((error: unknown) => error)
        expect(notVerified).toBeInstanceOf(errors.VerifyError)
        expect(notVerified).toMatchObject({
          statusCode: 503,
          invalidReason: 'unexpected_verify_error',
        })

        const notSettled = await client()
          .settle(payload, price)
          .catch((error: unknown) => error)
        expect(notSettled).toBeInstanceOf(errors.SettleError)
        expect(notSettled).toMatchObject({
          statusCode: 503,
          errorReason: 'unexpected_settle_error',
          transaction: '',
        })
      })
    })
  },
)
