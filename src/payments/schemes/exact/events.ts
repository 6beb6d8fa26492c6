/**
 * Whether the simulated call does one thing: the required transfer. Only the payer's own smart account,
 * and the contracts that its `__check_auth` calls, may emit other events.
 */
import { type Check, rule } from '../../checks/check.ts'
import {
  eventsNameContracts,
  foreignEvents,
  issuerHint,
  isTransfer,
  topicName,
  transferChecks,
  transfersOfAsset,
} from '../../checks/events.ts'
import type { EventFacts } from '../scheme.ts'

export const eventChecks: readonly Check<EventFacts>[] = [
  rule('every event is a transfer', 'invalid_exact_stellar_payload_event_not_transfer', (facts) => {
    const other = foreignEvents(facts).find((event) => !isTransfer(event))
    return (
      other &&
      `contract ${other.contract} emits ${topicName(other)}, expected only transfer${issuerHint(other)}`
    )
  }),

  eventsNameContracts,
  transfersOfAsset,
  ...transferChecks,
]
