import { h, type VNode } from 'preact'

export interface Choice {
  readonly label: string
  readonly href: string
  readonly isChosen: boolean
}

/** One of a few, as links. */
export const choice = (label: string, choices: readonly Choice[]): VNode =>
  h(
    'nav',
    { class: 'segmented', 'aria-label': label },
    choices.map(({ label: text, href, isChosen }) =>
      h('a', { key: text, href, ...(isChosen && { 'aria-current': 'true' }) }, text),
    ),
  )
