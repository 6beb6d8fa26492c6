import type { CatalogFacts } from '../../../../src/diagnosis/facts/facts.ts'
import type { CheckName, WarningCode } from '../../../../src/diagnosis/problems/names.ts'
import type { Changes } from '../facts.ts'

export interface ProblemCase {
  /** The name of the problem that is found first; of a check of `svc doctor`, that it finds none. */
  readonly finds: string | { readonly nothingIn: CheckName }
  readonly when: string
  readonly given: Changes
  /** What `svc doctor` prints, as in `status: says -> todo`; else the message of `/health`. */
  readonly says?: RegExp
  /** What `/health` warns of. @default the code of the problem */
  readonly health?: readonly WarningCode[]
}

export interface CatalogCase {
  readonly when: string
  readonly given: Partial<CatalogFacts>
  readonly health: readonly WarningCode[]
  readonly says?: RegExp
}
