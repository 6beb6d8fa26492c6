/** Refusals that depend on the service's configuration or on the answers of its RPC endpoint. */
import { xdr } from '@stellar/stellar-sdk'
import type { RpcProxy } from '../../../support/rpc-proxy.ts'
import type { WorldRefusal } from '../refusal-case.ts'

const P = 'invalid_exact_stellar_payload_'

/** With a ceiling of 10,000 stroops. */
export const feeCases: readonly WorldRefusal[] = [
  {
    code: `${P}fee_exceeds_maximum`,
    when: 'for a settlement above MAX_TX_FEE_STROOPS',
    build: async (world) => ({
      body: await world.pay(),
      message: /^the settlement would cost up to \d{5,} stroops, the ceiling is 10000$/,
      payer: world.payer.address,
    }),
  },
]

/**
 * The real host names a contract in each of its events, so the test changes the answer of the endpoint:
 * an event without a contract must be refused too.
 */
export const doubledCases = (proxy: () => RpcProxy): readonly WorldRefusal[] => [
  {
    code: `${P}event_missing_contract_id`,
    when: 'for an event without a contract',
    build: async (world) => {
      proxy().fail('simulateTransaction', { kind: 'rewrite', change: withoutContracts })
      return {
        body: await world.pay(),
        message: 'the call emits an event without a contract id',
        payer: world.payer.address,
      }
    },
  },
]

const withoutContracts = (result: Record<string, unknown>): Record<string, unknown> => ({
  ...result,
  events: [result['events']].flat().map((encoded) => {
    const { inSuccessfulContractCall, event } = xdr.DiagnosticEvent.fromXdr(
      String(encoded),
      'base64',
    )
    const { ext, type, body } = event
    const nobodys = new xdr.ContractEvent({ ext, contractId: null, type, body })
    return new xdr.DiagnosticEvent({ inSuccessfulContractCall, event: nobodys }).toXdr('base64')
  }),
})

/** Answered with another status than HTTP 200: 503, see verify-configuration-reasons.test.ts, and 409, see identifiers.test.ts. */
export const unansweredCodes = ['unexpected_verify_error', 'payment_identifier_conflict'] as const
