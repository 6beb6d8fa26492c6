import { type ComponentChildren, h, type VNode } from 'preact'

export interface CardOptions {
  readonly title: string
  /** The `id` attribute of the heading. */
  readonly id: string
  /** Beside the heading: a link or a choice. */
  readonly aside?: ComponentChildren
  /** Without space around the content, as a table wants it. */
  readonly isFlush?: boolean
}

/** A part of a page with a heading. */
export const card = (
  { title, id, aside, isFlush }: CardOptions,
  ...content: ComponentChildren[]
): VNode =>
  h(
    'section',
    { class: isFlush ? 'card flush' : 'card', 'aria-labelledby': id },
    h(
      'div',
      { class: 'card-head' },
      h('h2', { id }, title),
      aside && h('div', { class: 'card-aside' }, aside),
    ),
    ...content,
  )
