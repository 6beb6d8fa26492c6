import type { Manifest } from './manifests.ts'
import type { RuleCase, Write } from './rule-cases.ts'

/** Cases that create an object, by its description. */
const creations = (made: Readonly<Record<string, Manifest>>): readonly Write[] =>
  Object.entries(made).map(([what, after]) => ({ what, after }))

/** A rule of a Facilitator, with objects whose creation it accepts and refuses. */
export const facilitatorRule = (
  at: string,
  message: string,
  {
    accepted,
    refused,
  }: {
    accepted: Readonly<Record<string, Manifest>>
    refused: Readonly<Record<string, Manifest>>
  },
): RuleCase => ({
  kind: 'Facilitator',
  at,
  message,
  accepted: creations(accepted),
  refused: creations(refused),
})
