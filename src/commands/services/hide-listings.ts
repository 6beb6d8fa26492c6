import { hiddenSubjectOf } from '../../catalog/bounds/hidden-subject.ts'
import { LISTED } from '../../catalog/bounds/start-bounds.ts'
import { hide, refreshLeftOut, unhide } from '../../catalog/store/left-out.ts'
import type { Store } from '../../platform/database/open.ts'
import { UsageError } from '../command-line/usage-error.ts'

export const HIDDEN_SUBJECT = 'the id of a listing, or the account of a payee'

/** Hides a listing or all of a payee, or ends that; prints a line of JSON. @returns the exit code */
export async function hideListings(
  { db }: Pick<Store, 'db'>,
  action: 'hide' | 'unhide',
  text: string,
): Promise<number> {
  const subject = hiddenSubjectOf(text)
  if (subject === undefined) throw new UsageError(`Expected ${HIDDEN_SUBJECT}, got '${text}'`)
  await (action === 'hide' ? hide : unhide)(db, [subject])
  const listings = await refreshLeftOut(db, LISTED)
  process.stdout.write(`${JSON.stringify({ action, subject, listings })}\n`)
  return 0
}
