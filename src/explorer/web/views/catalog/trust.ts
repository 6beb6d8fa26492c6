import { h, type VNode } from 'preact'
import type { Trust } from '../../../../buying/client/catalog-types.ts'

/** How pages name who stands by a listing, from least to most. */
export const trustWords: Readonly<
  Record<Trust, { readonly label: string; readonly meaning: string }>
> = {
  settled: {
    label: 'Settled',
    meaning: 'Someone paid for it. Its words are those of its first payer.',
  },
  origin_verified: {
    label: 'Origin verified',
    meaning: 'Its own server names the seller and the price.',
  },
  domain_verified: {
    label: 'Domain verified',
    meaning: 'Its own server names the seller, and its host claims the seller in its stellar.toml.',
  },
}

export const trustTag = (trust: Trust): VNode =>
  h(
    'span',
    { class: trust === 'settled' ? 'tag' : 'tag good', title: trustWords[trust].meaning },
    trustWords[trust].label,
  )
