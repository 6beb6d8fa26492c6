import type { AlertCase } from './alert-case.ts'
import { dependencyCases } from './dependency-cases.ts'
import { explorerCases } from './explorer-cases.ts'
import { operatorCases } from './operator-cases.ts'
import { paymentCases } from './payment-cases.ts'
import { resourceCases } from './resource-cases.ts'
import { sponsorCases } from './sponsor-cases.ts'
import { uptoCases } from './upto-cases.ts'

export const alertCases: readonly AlertCase[] = [
  ...paymentCases,
  ...sponsorCases,
  ...dependencyCases,
  ...resourceCases,
  ...operatorCases,
  ...uptoCases,
  ...explorerCases,
]
