import { card } from '../../components/card.ts'
import { choice } from '../../components/choice.ts'
import { pageHead } from '../../components/page-head.ts'
import { csvLink } from '../../components/tables/csv-link.ts'
import type { PageDeps } from '../../deps.ts'
import { linkTo, pagePaths } from '../../links.ts'
import type { Page, PageRequest } from '../../page.ts'
import { readSpan, spanChoices, spanWords } from '../../window.ts'
import { sharesTable } from './shares-table.ts'

/** Every known facilitator with its share of the payments. */
export async function facilitatorsPage(
  { query, network, now }: PageRequest,
  { reads }: PageDeps,
): Promise<Page> {
  const span = readSpan(query['window'], 'all')
  const shares = await reads.facilitators(network)
  return {
    title: 'Facilitators',
    section: 'facilitators',
    body: [
      pageHead(
        'Facilitators',
        'Who submits x402 payments to the network. A facilitator is verified when this explorer is configured to trust it, or when a submitting account has signed for it.',
        choice(
          'Window',
          spanChoices(span, (window) => linkTo.facilitators({ network, window })),
        ),
      ),
      card(
        {
          title: `Shares, ${spanWords[span]}`,
          id: 'shares',
          isFlush: true,
          aside: csvLink(pagePaths.facilitators, { network }),
        },
        sharesTable({
          caption: `Facilitators by payments, ${spanWords[span]}`,
          shares,
          span,
          network,
          now,
        }),
      ),
    ],
  }
}
