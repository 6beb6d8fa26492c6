import type { FaultCode } from '../core/faults.ts'
import type { ComponentName } from './components.ts'

/** One endpoint as the document tells of it. */
export interface Operation {
  readonly id: string
  readonly method: 'get' | 'post'
  readonly path: string
  readonly tag: 'Facilitator' | 'Operations'
  readonly summary: string
  readonly sent?: ComponentName
  /** Required, or only where the operator asks for one; absent where none is looked at. */
  readonly apiKey?: 'required' | 'optional'
  /** By HTTP status. */
  readonly answers: Readonly<Record<number, Answered>>
  /** What can go wrong, in the words of this schema. */
  readonly refusal: ComponentName
  readonly faults: readonly FaultCode[]
}

export interface Answered {
  readonly description: string
  /** JSON of this schema, or plain text. */
  readonly body: ComponentName | 'text' | 'object'
}

const unlimited = ['bad_request', 'internal_error'] as const
const always = [...unlimited, 'rate_limited', 'service_unavailable'] as const
const payment = {
  method: 'post',
  tag: 'Facilitator',
  sent: 'PaymentRequest',
  apiKey: 'optional',
  faults: [...always, 'unauthorized', 'payload_too_large', 'unsupported_media_type'],
} as const
const probe = { method: 'get', tag: 'Operations', refusal: 'Error', faults: unlimited } as const

export const operations: readonly Operation[] = [
  {
    id: 'supported',
    method: 'get',
    path: '/supported',
    tag: 'Facilitator',
    summary: 'Which payments are served, and which accounts sign for them',
    answers: { 200: { description: 'What is served', body: 'Supported' } },
    refusal: 'Error',
    faults: always,
  },
  {
    ...payment,
    id: 'verify',
    path: '/verify',
    summary: 'Says whether a payment would settle; changes nothing',
    answers: { 200: { description: 'The verdict, good or bad', body: 'Verification' } },
    refusal: 'VerifyError',
  },
  {
    ...payment,
    id: 'settle',
    path: '/settle',
    summary: 'Settles a payment on the ledger; the same request again gets the same answer',
    answers: { 200: { description: 'The outcome, good or bad', body: 'Settlement' } },
    refusal: 'SettleError',
  },
  {
    id: 'usage',
    method: 'get',
    path: '/usage',
    tag: 'Operations',
    summary: 'What the calling key has used in the last 31 days',
    apiKey: 'required',
    answers: { 200: { description: 'Its counts', body: 'Usage' } },
    refusal: 'Error',
    faults: [...always, 'unauthorized'],
  },
  {
    ...probe,
    id: 'health',
    path: '/health',
    summary: 'How the service stands; rebuilt every 15 seconds and always answered with 200',
    answers: { 200: { description: 'The newest snapshot', body: 'Health' } },
  },
  {
    ...probe,
    id: 'ready',
    path: '/ready',
    summary: 'Whether every named check passes',
    answers: {
      200: { description: 'All pass', body: 'Readiness' },
      503: { description: 'At least one fails', body: 'Readiness' },
    },
  },
  {
    ...probe,
    id: 'metrics',
    path: '/metrics',
    summary: 'Metrics in the text format of Prometheus',
    answers: { 200: { description: 'The exposition', body: 'text' } },
  },
  {
    id: 'openapi',
    method: 'get',
    path: '/openapi.json',
    tag: 'Operations',
    summary: 'This document',
    answers: { 200: { description: 'An OpenAPI 3.1 document', body: 'object' } },
    refusal: 'Error',
    faults: always,
  },
]
