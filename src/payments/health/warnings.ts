import type { CatalogFacts, NetworkFacts } from '../../diagnosis/facts/facts.ts'
import { catalogProblems } from '../../diagnosis/problems/catalog.ts'
import { type WarningCode, warningCodes, warnings } from '../../diagnosis/problems/names.ts'
import {
  type Finding,
  type Found,
  findingsOf,
  type Patience,
  sentenceOf,
} from '../../diagnosis/problems/problem.ts'
import { sharedProblems } from '../../diagnosis/problems/table.ts'
import type { HealthWarning } from './schema.ts'

/** One poll without an answer is no news, nor is a balance that was read a while ago. */
const patience: Patience = { polls: 2, unknownMs: 60_000 }

/** The warnings about all networks, of each in the order of the codes. */
export const warningsOf = (networks: readonly NetworkFacts[]): readonly HealthWarning[] =>
  networks.flatMap((facts) =>
    raised(sharedProblems, ({ find }) => find(facts, patience)).map((warning) => ({
      ...warning,
      network: facts.id,
    })),
  )

/** The warnings about the catalog. */
export const catalogWarningsOf = (facts: CatalogFacts): readonly HealthWarning[] =>
  raised(catalogProblems, ({ find }) => find(facts))

function raised<Each extends { readonly health?: WarningCode }>(
  problems: readonly Each[],
  find: (problem: Each) => Found,
): readonly HealthWarning[] {
  return problems
    .flatMap((problem) => {
      const { health: code } = problem
      return code ? findingsOf(find(problem)).map((finding) => warningOf(code, finding)) : []
    })
    .toSorted((one, other) => warningCodes.indexOf(one.code) - warningCodes.indexOf(other.code))
}

const warningOf = (code: WarningCode, finding: Finding): HealthWarning => ({
  code,
  severity: warnings[code].severity,
  message: sentenceOf(finding),
  ...(finding.contract !== undefined && { contract: finding.contract }),
})
