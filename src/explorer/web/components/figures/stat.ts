import { type ComponentChildren, h, type VNode } from 'preact'

export interface StatOptions {
  readonly label: string
  readonly value: ComponentChildren
  /** To the rows behind the figure. */
  readonly href?: string | undefined
  readonly note?: ComponentChildren
}

/** Headline figures beside each other. */
export const stats = (items: readonly StatOptions[]): VNode =>
  h('dl', { class: 'stats' }, items.map(stat))

const stat = ({ label, value, href, note }: StatOptions): VNode =>
  h(
    'div',
    { key: label, class: 'stat' },
    h('dt', null, label),
    h('dd', { class: 'value num' }, href === undefined ? value : h('a', { href }, value)),
    note && h('dd', { class: 'note' }, note),
  )
