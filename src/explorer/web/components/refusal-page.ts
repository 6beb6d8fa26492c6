import { h } from 'preact'
import { linkTo } from '../links.ts'
import type { Page } from '../page.ts'

/** A page that says what is wrong and what to do. */
export const refusalPage = (status: number, heading: string, sentence: string): Page => ({
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
      h(
        'a',
        { class: status >= 500 ? 'button quiet' : 'button', href: linkTo.overview() },
        'Go to the overview',
      ),
      h('a', { class: 'button quiet', href: linkTo.payments() }, 'Latest payments'),
    ),
  ),
})
