import { h, type VNode } from 'preact'
import { readableCount } from '../format/count.ts'
import { PageRefusal } from '../page.ts'

/** The parameter `offset` of a table in pages. Throws `PageRefusal`. */
export function readOffset(text = '0'): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new PageRefusal(
    400,
    'There is no such page',
    'The offset must be a whole number from 0 on.',
    'offset',
  )
}

interface PagerOptions {
  readonly total: number
  readonly limit: number
  readonly offset: number
}

/** Leads to the page of a table before this one and to the next one; nothing when all rows are on one. */
export function pager(
  { total, limit, offset }: PagerOptions,
  hrefOf: (offset: number) => string,
): VNode | false {
  if (total <= limit && offset === 0) return false
  const last = Math.min(offset + limit, total)
  return h(
    'nav',
    { class: 'pager', 'aria-label': 'Pages' },
    offset > 0 &&
      h(
        'a',
        { class: 'button quiet small', href: hrefOf(Math.max(0, offset - limit)) },
        'Previous',
      ),
    h(
      'span',
      { class: 'soft num' },
      last > offset
        ? `${readableCount(offset + 1)} to ${readableCount(last)} of ${readableCount(total)}`
        : `none of ${readableCount(total)}`,
    ),
    last < total && h('a', { class: 'button quiet small', href: hrefOf(offset + limit) }, 'Next'),
  )
}
