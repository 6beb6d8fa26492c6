import { HTTPFacilitatorClient } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { SettleError, VerifyError } from '@x402/core/types'
import { HTTPFacilitatorClient as NextFacilitatorClient } from '@x402/core-next/server'
import {
  SettleError as NextSettleError,
  VerifyError as NextVerifyError,
} from '@x402/core-next/types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Fault, type FaultCode, faults } from '../../../src/platform/core/errors/faults.ts'
import {
  settleRefusal,
  verifyRefusal,
} from '../../../src/platform/http/refusals/payment-refusal.ts'
import { createHttpServer } from '../../../src/platform/http/server/server.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { committedExamples } from '../service/openapi/recording.ts'

/* Every transport code, as a stock client reports it to the seller. Other tests cover when each occurs. */

const opened = new AsyncDisposableStack()
let url: string
let code: FaultCode

beforeAll(async () => {
  const server = opened.use(createHttpServer({ logger: createLogger({ level: 'silent' }) }))
  const refuse = async () => {
    throw new Fault(code)
  }
  server.app.post('/verify', { config: { refusal: verifyRefusal } }, refuse)
  server.app.post('/settle', { config: { refusal: settleRefusal } }, refuse)
  url = (await server.listen({ host: '127.0.0.1', port: 0 })).url
})
afterAll(() => opened.disposeAsync())

/** The others are never the answer of a payment route. */
const codes = (Object.keys(faults) as FaultCode[]).filter((name) => faults[name].wire !== 'none')

function sentByTheClient() {
  const { value } = committedExamples()['verify request']!['exact']!
  return value as { paymentPayload: PaymentPayload; paymentRequirements: PaymentRequirements }
}

function wireCode(operation: 'verify' | 'settle'): string {
  const { wire } = faults[code]
  if (wire === 'same') return code
  return wire === 'unexpected' ? `unexpected_${operation}_error` : wire
}

describe.each([
  { release: '2.9.0', Client: HTTPFacilitatorClient, errors: { VerifyError, SettleError } },
  {
    release: '2.27.0',
    Client: NextFacilitatorClient,
    errors: { VerifyError: NextVerifyError, SettleError: NextSettleError },
  },
] as const)('HTTPFacilitatorClient of @x402/core $release', ({ Client, errors }) => {
  it.each(codes)(
    'raises VerifyError and SettleError for %s',
    async (fault) => {
      code = fault
      const { paymentPayload, paymentRequirements } = sentByTheClient()
      const client = new Client({ url })
      const sent = [paymentPayload, paymentRequirements] as const
      const message = expect.stringContaining(faults[fault].help)

      const notVerified = await client.verify(...sent).catch((thrown: unknown) => thrown)
      expect(notVerified).toBeInstanceOf(errors.VerifyError)
      expect(notVerified).toMatchObject({
        statusCode: faults[fault].status,
        invalidReason: wireCode('verify'),
        message,
      })

      const notSettled = await client.settle(...sent).catch((thrown: unknown) => thrown)
      expect(notSettled).toBeInstanceOf(errors.SettleError)
      expect(notSettled).toMatchObject({
        statusCode: faults[fault].status,
        errorReason: wireCode('settle'),
        message,
      })
    },
    240_000,
  )
})
