import { authorizationChanges } from './authorization-changes.ts'
import type { Change } from './change.ts'
import { envelopeChanges } from './envelope-changes.ts'
import { requestChanges } from './request-changes.ts'
import type { ChangeSet } from './sets.ts'

/** All changes to a payment in the scheme `exact`. */
export const changes: readonly Change[] = [
  ...requestChanges,
  ...envelopeChanges,
  ...authorizationChanges,
]

/** What a smart account's signature covers. */
export const signedChanges: readonly Change[] = [
  ...envelopeChanges,
  ...authorizationChanges,
].filter(({ name, harmless }) => !harmless && /^(call|agreed call|authorization)/.test(name))

const named = (...names: string[]): Change[] =>
  names.map((name) => {
    const change = changes.find((each) => each.name === name)
    if (!change) throw new Error(`no such change: ${name}`)
    return change
  })

/** Consistent forgeries: everything but the signature agrees. */
export const consistentChanges: readonly ChangeSet[] = [
  named(
    'requirements: one unit more',
    'accepted: one unit more',
    'call: one unit more',
    'agreed call: one unit more',
  ),
  named(
    'requirements: another recipient',
    'accepted: another recipient',
    'call: another recipient',
    'agreed call: another recipient',
  ),
  named(
    'requirements: another asset',
    'accepted: another asset',
    'call: another contract',
    'agreed call: another contract',
  ),
  named('call: another payer', 'agreed call: another payer', 'authorization: of a victim'),
  named(
    'call: another payer',
    'agreed call: another payer',
    'authorization: of a victim',
    'requirements: another recipient',
    'accepted: another recipient',
    'call: another recipient',
    'agreed call: another recipient',
  ),
]
