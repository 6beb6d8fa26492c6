import { type ComponentChildren, h, type VNode } from 'preact'

/** The heading of a page, a sentence below it, and choices beside it. */
export const pageHead = (
  title: ComponentChildren,
  sentence?: ComponentChildren,
  ...aside: ComponentChildren[]
): VNode =>
  h(
    'div',
    { class: 'page-head' },
    h('div', null, h('h1', null, title), sentence && h('p', null, sentence)),
    aside.length > 0 && h('div', { class: 'page-choices' }, ...aside),
  )
