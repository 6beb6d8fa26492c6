import { accountRefusals } from './accounts.ts'
import { authorizationRefusals } from './authorization.ts'
import type { RefusalRow } from './refusal.ts'
import { policyRefusals, protocolRefusals } from './requests.ts'
import { structureRefusals } from './structure.ts'

/** Refusals that need no ledger: unit tests run them on the checks, component tests over HTTP. */
export const staticRefusals: readonly { stage: string; rows: readonly RefusalRow[] }[] = [
  { stage: 'protocol', rows: protocolRefusals },
  { stage: 'policy', rows: policyRefusals },
  { stage: 'structure', rows: structureRefusals },
  { stage: 'accounts and amount', rows: accountRefusals },
  { stage: 'authorization', rows: authorizationRefusals },
]
