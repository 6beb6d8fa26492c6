import { type ComponentChildren, h, type VNode } from 'preact'

export interface Fact {
  readonly label: string
  readonly value: ComponentChildren
  /** The meaning of the value, in a sentence. */
  readonly note?: ComponentChildren
}

/** Names and values of one thing, below each other. What is false is left out. */
export const facts = (items: readonly (Fact | false | undefined)[]): VNode =>
  h(
    'dl',
    { class: 'facts' },
    items.map((item) => item && fact(item)),
  )

const fact = ({ label, value, note }: Fact): VNode =>
  h(
    'div',
    { key: label, class: 'fact' },
    h('dt', null, label),
    h('dd', null, value, note && h('span', { class: 'fact-note' }, note)),
  )
