import { HTTPFacilitatorClient } from '@x402/core/server'
import { SettleError, VerifyError } from '@x402/core/types'
import { HTTPFacilitatorClient as NextFacilitatorClient } from '@x402/core-next/server'
import {
  SettleError as NextSettleError,
  VerifyError as NextVerifyError,
} from '@x402/core-next/types'
import { describe, expect, it } from 'vitest'
import { startStack } from '../../support/stack.ts'
import { reach } from '../../support/stock/stock-client.ts'
import { stockRequest } from '../../support/stock/stock-request.ts'

describe.each([
  { release: '2.9.0', Client: HTTPFacilitatorClient, errors: { VerifyError, SettleError } },
  {
    release: '2.27.0',
    Client: NextFacilitatorClient,
    errors: { VerifyError: NextVerifyError, SettleError: NextSettleError },
  },
] as const)('HTTPFacilitatorClient of @x402/core $release', ({ Client, errors }) => {
  // Again when a minute ends within the test.
  it('raises VerifyError and SettleError over the rate limit', { retry: 1 }, async () => {
    await using stack = await startStack({ closeEveryMs: 'on-send', tls: true, perMinute: 1 })
    reach(stack.localnet)
    const { body } = await stockRequest(stack.localnet)
    const client = new Client({ url: stack.baseUrl })
    const payload = body.paymentPayload as Parameters<typeof client.verify>[0]
    const sent = [payload, body.paymentRequirements] as const
    expect(await client.verify(...sent)).toMatchObject({ isValid: true })

    const notVerified = await client.verify(...sent).catch((thrown: unknown) => thrown)
    expect(notVerified).toBeInstanceOf(errors.VerifyError)
    expect(notVerified).toMatchObject({ statusCode: 429, invalidReason: 'rate_limited' })

    const notSettled = await client.settle(...sent).catch((thrown: unknown) => thrown)
    expect(notSettled).toBeInstanceOf(errors.SettleError)
    expect(notSettled).toMatchObject({ statusCode: 429, errorReason: 'rate_limited' })
  })
})
