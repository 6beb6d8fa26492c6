import { h, type VNode } from 'preact'
import { visibleText } from '../../format/visible-text.ts'

/**
 * The name that a catalog has for a seller: undefined without one. A server that names the seller in its 402 response has such a
 * listing, and nothing shows that the seller agrees. So a page never names a payment or a seller by it alone: the address stands
 * beside it, and the words say whose claim it is.
 */
export function claimedName(serviceName: string | undefined, href?: string): VNode | undefined {
  const name = serviceName && visibleText(serviceName)
  if (!name) return undefined
  const text = h('bdi', null, name)
  return h(
    'span',
    { class: 'claim' },
    'claimed by ',
    href ? h('a', { href, class: 'name' }, text) : text,
  )
}

/** The same as text. */
export function claimedText(serviceName: string | undefined): string {
  const name = serviceName && visibleText(serviceName)
  return name ? `claimed by ${name}` : ''
}
