import { h, type VNode } from 'preact'
import { endsOf, shortened } from '../../format/short.ts'

export interface AddressOptions {
  /** Where a click leads. */
  readonly href?: string | undefined
  /** Role of the address, for screen readers: `Buyer`. */
  readonly label: string
  /** Shows the whole text, which may break into lines. */
  readonly isWhole?: boolean
  /** A button that copies it. @default true */
  readonly mayCopy?: boolean
}

/**
 * An address or a hash. Its middle is hidden by the style sheet only, so that the whole value is selected, copied and found
 * with the browser's search. Those who hear the page hear what it is, and its ends.
 */
export function address(text: string, options: AddressOptions): VNode {
  const { href, label, isWhole = false, mayCopy = true } = options
  const shown = isWhole ? h('span', { class: 'whole' }, text) : cut(text)
  const spokenLabel = h('span', { class: 'unseen' }, label, ' ')
  return h(
    'span',
    { class: 'address' },
    href === undefined
      ? h('span', { title: text, class: 'mono' }, shown)
      : h('a', { href, title: text, class: 'mono' }, spokenLabel, shown),
    mayCopy && copyButton(text, `${label} ${shortened(text)}`),
  )
}

function cut(text: string): VNode | string {
  const { start, middle, end } = endsOf(text)
  if (middle === '') return text
  return h(
    'span',
    { class: 'cut' },
    start,
    h('span', { class: 'middle', 'aria-hidden': 'true' }, middle),
    end,
  )
}

/** Shown by the script, which copies `text`. The style sheet draws its symbol. */
export const copyButton = (text: string, what: string): VNode =>
  h('button', {
    type: 'button',
    class: 'copy',
    'data-copy': text,
    hidden: true,
    'aria-label': `Copy ${what}`,
    title: 'Copy',
  })
