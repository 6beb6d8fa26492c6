/** The input of the checks of `upto` that need no ledger. Each group of checks relies on those that passed before it. */
import type { CallFacts, EnvelopeFacts, RequestFacts } from '../../checks/facts.ts'
import type { UptoPolicy } from '../../protocol/policy.ts'
import type { Phase } from '../scheme.ts'
import type { SettleTerms } from './settle-call.ts'

interface Served {
  readonly phase: Phase
  /** The contract and the authorities that are served. */
  readonly upto: UptoPolicy
}

export interface UptoRequestFacts extends RequestFacts, Served {}

export interface UptoEnvelopeFacts extends EnvelopeFacts, Served {}

/** One call of `settle` with arguments of the right types. */
export interface UptoCallFacts extends CallFacts, Served {
  readonly terms: SettleTerms
}
