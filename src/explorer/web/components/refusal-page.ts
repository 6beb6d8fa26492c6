import { h } from 'preact'
import { linkTo } from '../links.ts'
import type { Page } from '../page.ts'

export interface Removal {
  /** Of the query. */
  readonly parameter: string
  /** The same page without it. */
  readonly href: string
}

/** A page that says what is wrong and what to do. */
export const refusalPage = (
  status: number,
  heading: string,
  sentence: string,
  removal?: Removal,
): Page => ({
  title: heading,
  status,
  body: h(
    'div',
    { class: 'refusal' },
    h('p', { class: 'refusal-status', 'aria-hidden': 'true' }, String(status)),
    h('h1', null, heading),
    h('p', null, sentence),
    h(
      'p',
      { class: 'actions' },
      status >= 500 && h('a', { class: 'button', href: '' }, 'Try again'),
      removal && h('a', { class: 'button', href: removal.href }, `Remove ${removal.parameter}`),
      h(
        'a',
        { class: status >= 500 || removal ? 'button quiet' : 'button', href: linkTo.overview() },
        'Go to the overview',
      ),
      h('a', { class: 'button quiet', href: linkTo.payments() }, 'Latest payments'),
    ),
  ),
})
