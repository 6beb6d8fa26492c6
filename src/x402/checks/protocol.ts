/** Whether the request is one of x402 version 2, in a scheme and a network that are served. */
import { EXACT_SCHEME, X402_VERSION } from '../protocol.ts'
import { type Check, rule } from './check.ts'
import type { RequestFacts } from './facts.ts'

export const protocolChecks: readonly Check<RequestFacts>[] = [
  rule('version is 2', 'invalid_x402_version', ({ request }) => {
    const versions = [request.x402Version, request.paymentPayload.x402Version]
    const other = versions.find((version) => version !== X402_VERSION)
    return other === undefined ? undefined : `x402Version is ${other}, expected ${X402_VERSION}`
  }),

  rule('scheme is exact', 'unsupported_scheme', ({ request }) => {
    const schemes = [request.paymentRequirements.scheme, request.paymentPayload.accepted.scheme]
    const other = schemes.find((scheme) => scheme !== EXACT_SCHEME)
    return other === undefined ? undefined : `scheme is ${other}, expected ${EXACT_SCHEME}`
  }),

  rule('network is served', 'invalid_network', ({ request, policy }) => {
    const { network } = request.paymentRequirements
    return network === policy.network
      ? undefined
      : `network is ${network}, expected ${policy.network}`
  }),

  rule('networks agree', 'network_mismatch', ({ request }) => {
    const required = request.paymentRequirements.network
    const accepted = request.paymentPayload.accepted.network
    return accepted === required
      ? undefined
      : `paymentPayload.accepted names network ${accepted}, paymentRequirements name ${required}`
  }),

  rule('payload holds a transaction', 'invalid_payload', ({ request }) => {
    const { transaction } = request.paymentPayload.payload
    if (typeof transaction === 'string') return undefined
    const actual = transaction === undefined ? 'missing' : `of type ${typeof transaction}`
    return `payload.transaction is ${actual}, expected a base64 TransactionEnvelope`
  }),
]
