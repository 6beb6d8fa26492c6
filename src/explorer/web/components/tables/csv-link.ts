import { h, type VNode } from 'preact'
import { withQuery } from '../../links.ts'

/** The table as a file. @param path of the page that shows it */
export const csvLink = (
  path: string,
  query: Readonly<Record<string, string | boolean | undefined>>,
): VNode =>
  h(
    'a',
    { class: 'button quiet small', href: withQuery(`${path}.csv`, query), download: true },
    'CSV',
  )
