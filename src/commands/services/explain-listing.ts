import { type Explanation, explainSubject } from '../../catalog/discovery/explain.ts'
import type { ListingOutcome } from '../../catalog/listing.ts'
import { codeHelp } from '../../catalog/outcome/code-help.ts'
import type { Store } from '../../platform/database/open.ts'
import { personTable, type Row } from '../command-line/person-table.ts'
import { UsageError } from '../command-line/usage-error.ts'

type Listing = Explanation['listings'][number]
type Outcome = Explanation['outcomes'][number]

/**
 * Prints why a URL or a listing is in the catalog, or is not: sentences for a person, one line of JSON for a script.
 *
 * @returns the exit code: 0 when the catalog knows it, 1 when not
 */
export async function explainListing(
  { db }: Pick<Store, 'db'>,
  subject: string,
  { forPerson }: { readonly forPerson: boolean },
): Promise<number> {
  const found = await explainSubject(db, subject)
  if (!found) throw new UsageError('explain takes a URL with its scheme, or the id of a listing')
  const isKnown = found.listings.length + found.outcomes.length + found.waiting.length > 0
  process.stdout.write(
    forPerson ? sentences(subject, found) : `${JSON.stringify({ subject, ...found }, asText)}\n`,
  )
  return isKnown ? 0 : 1
}

/** A count is of 64 bits in the database. */
const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)

function sentences(subject: string, { listings, outcomes, waiting }: Explanation): string {
  const tables = listings.map((listing) =>
    personTable(`${listing.resource} on ${listing.network}`, listingRows(listing)),
  )
  const settled = outcomes.map(
    ({ at, network, code, reason, dropped, transaction }): Row => [
      at.toISOString(),
      `${code} on ${network}${reason === null ? '' : `: ${reason}`} (transaction ${transaction}${dropped.length === 0 ? '' : `, left out: ${dropped.join(', ')}`})`,
    ],
  )
  const [latest] = outcomes
  if (listings.length === 0 && latest) tables.push(personTable(subject, refusedRows(latest)))
  if (settled.length > 0) tables.push(personTable('What its settlements led to', settled))
  const pending = waiting.map(
    ({ settledAt, network, dueAt, tries, transaction }): Row => [
      settledAt.toISOString(),
      `settled on ${network}, not recorded yet; try ${tries + 1} is due at ${dueAt.toISOString()} (transaction ${transaction})`,
    ],
  )
  if (pending.length > 0) tables.push(personTable('What waits to be recorded', pending))
  if (tables.length > 0) return tables.join('\n')
  return personTable(subject, [
    ['state', 'not listed: no settled payment has declared it'],
    ['next', 'a payment that declares it with the extension bazaar lists it'],
  ])
}

/** Rows for a URL without a listing. */
const refusedRows = ({ code }: Outcome): readonly Row[] => [
  ['state', `not listed: its latest settlement ended with ${code}`],
  ['to do', remedyOf(code)],
]

/** The remedy for the seller after a rejection. */
const remedyOf = (code: string): string =>
  new Map(Object.entries(codeHelp)).get(code)?.remedy ??
  'correct what the last outcome says, and sell a call: the resource is asked again'

const states: Readonly<Record<Listing['state'], string>> = {
  pending: 'pending: it is listed once its origin answers with a 402 that names its owner',
  published: 'published: it is listed and found',
  quarantined: 'quarantined: it is not listed, since its origin does not confirm it',
}

const leftOut: Readonly<Record<NonNullable<Listing['leftOut']>, string>> = {
  hidden: 'hidden: an administrator has hidden it',
  unpaid: 'left out: nobody has paid for it for 90 days; the next payment lists it again',
  full: 'left out: the catalog is full, and its payee or its domain has its share of it',
}

function listingRows(listing: Listing): readonly Row[] {
  const outcome = listing.lastOutcome as ListingOutcome
  const why = outcome.reason === undefined ? '' : `: ${outcome.reason}`
  return [
    ['listing', `${listing.id}, version ${listing.version}`],
    ['state', stateOf(listing)],
    ['owner', `${listing.owner}, trust ${listing.trust}, settlements ${listing.settlements}`],
    ['last outcome', `${outcome.code} (${outcome.phase}, ${outcome.at})${why}`],
    ['next check', nextCheck(listing)],
    ...(listing.state === 'quarantined' ? [['to do', remedyOf(outcome.code)] as const] : []),
    ...listing.claims.map(
      ({ payTo, settledAt }): Row => [
        'claim',
        `${payTo} was paid at ${settledAt}; the origin has not confirmed what that payment declared`,
      ],
    ),
  ]
}

function stateOf({ state, leftOut: why, nextCheckAt }: Listing): string {
  if (why !== null) return leftOut[why]
  if (state !== 'quarantined') return states[state]
  return nextCheckAt
    ? `${states[state]}; it is asked again at ${nextCheckAt.toISOString()}`
    : `${states[state]}; the next settlement has it asked again`
}

function nextCheck({ nextCheckAt, checkTries, kind }: Listing): string {
  if (!nextCheckAt && kind === 'mcp') return 'none: an MCP tool has no 402 response to ask for'
  if (!nextCheckAt) return 'none: the next settlement of the resource makes one due'
  const tries = checkTries === 0 ? '' : `, after ${checkTries} that did not reach the origin`
  return `${nextCheckAt.toISOString()}${tries}`
}
