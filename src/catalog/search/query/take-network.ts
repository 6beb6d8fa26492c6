import type { NetworkId } from '../../../platform/core/caip2.ts'
import { anyOf, END, MAYBE_NOT, type Question, START, takeAll, withConstraint } from './question.ts'

const TESTNET = anyOf('stellar:testnet|testnet|test network')
const PUBNET = anyOf(
  'stellar:pubnet|pubnet|mainnet|public network|main network|live network|production network',
)
const NETWORK = `(?<name>${TESTNET}|${PUBNET})`

/** Words that lead to a network and say nothing more. */
const LEAD = anyOf(
  'available|payable|paid|must|should|have to|has to|needs? to|can|we|it|that|which|only|purely|entirely|just|so|please|both|also',
  'work(?:s|ing)?|runs?|running|live|lives|sold|offered|be|is|are|use|usable',
  'on|in|for|via|over|at|the|stellar|stellars',
)
const LEADS = String.raw`(?:(?<=^|[\s,.;:(])(?:${LEAD} )*)`
const AND = anyOf(`,? ?(?:and|as well as|and also|plus)|,? ?[&+/]`)
const BOTH = new RegExp(
  `${LEADS}${START}${anyOf(
    'both (?:the )?(?:stellar )?(?:networks|nets)',
    'each (?:stellar )?network|every (?:stellar )?network|the two (?:stellar )?networks',
    `(?:both )?(?:the )?${TESTNET} ?${AND} (?:the )?${PUBNET}`,
    `(?:both )?(?:the )?${PUBNET} ?${AND} (?:the )?${TESTNET}`,
  )}${END}(?: alike)?`,
  'giu',
)
const EITHER = new RegExp(
  `${LEADS}${START}${anyOf(
    'either (?:stellar )?network|any (?:stellar )?network',
    `(?:either )?(?:the )?${TESTNET} or (?:the )?${PUBNET}`,
    `(?:either )?(?:the )?${PUBNET} or (?:the )?${TESTNET}`,
  )}${END}`,
  'giu',
)
const ONE = new RegExp(
  `${MAYBE_NOT}${LEADS}${START}${NETWORK}${END}(?: (?:only|please)${END})?`,
  'giu',
)

/** Reads networks: one, both, one that is refused. A question to which either will do is not constrained. */
export function takeNetwork(question: Question): Question {
  const both = takeAll(question, BOTH, (known) =>
    withConstraint(
      withConstraint(known, 'everyNetwork', 'stellar:testnet'),
      'everyNetwork',
      'stellar:pubnet',
    ),
  )
  const either = takeAll(both, EITHER, (known) => known)
  return takeAll(either, ONE, (known, { not, name = '' }) =>
    withConstraint(known, not === undefined ? 'networks' : 'exceptNetworks', networkOf(name)),
  )
}

const networkOf = (name: string): NetworkId =>
  new RegExp(`^${TESTNET}$`, 'iu').test(name) ? 'stellar:testnet' : 'stellar:pubnet'
