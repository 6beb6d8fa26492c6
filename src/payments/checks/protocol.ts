/** Whether the request is one of x402 version 2, in a scheme and a network that are served. */
import { X402_VERSION } from '../protocol/protocol.ts'
import { schemeOf, servedNames, servedSchemes } from '../schemes/schemes.ts'
import { type Check, rule } from './check.ts'
import type { RequestFacts } from './facts.ts'

export const protocolChecks: readonly Check<RequestFacts>[] = [
  rule('version is 2', 'invalid_x402_version', ({ request }) => {
    const versions = [request.x402Version, request.paymentPayload.x402Version]
    const other = versions.find((version) => version !== X402_VERSION)
    return other === undefined ? undefined : `x402Version is ${other}, expected ${X402_VERSION}`
  }),

  rule('scheme is served', 'unsupported_scheme', ({ request, policy }) => {
    const required = request.paymentRequirements
    const { accepted } = request.paymentPayload
    const names = servedNames(policy)
    const other = [required.scheme, accepted.scheme].find((scheme) => !names.includes(scheme))
    if (other !== undefined) return `scheme is ${other}, expected ${names.join(' or ')}`
    if (accepted.scheme !== required.scheme) {
      return `paymentPayload.accepted names scheme ${accepted.scheme}, paymentRequirements name ${required.scheme}`
    }
    if (schemeOf(required, policy)) return undefined
    const profiles = servedSchemes(policy).flatMap(({ name, profile }) =>
      name === required.scheme && profile !== undefined ? [profile] : [],
    )
    const actual = JSON.stringify(required.extra?.['profile']) ?? 'missing'
    return `extra.profile of scheme ${required.scheme} is ${actual}, expected ${profiles.join(' or ')}`
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
