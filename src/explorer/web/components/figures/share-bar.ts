import { h, type VNode } from 'preact'
import { readableShare } from '../../format/count.ts'

/** A share from 0 to 1 as a bar and in figures. The width is an attribute of SVG: pages have no inline style. */
export const shareBar = (share: number): VNode =>
  h(
    'span',
    { class: 'share' },
    h(
      'svg',
      { viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      h('rect', { class: 'track', width: 100, height: 6 }),
      h('rect', {
        class: 'fill',
        width: Math.max(share > 0 ? 0.8 : 0, share * 100).toFixed(2),
        height: 6,
      }),
    ),
    h('span', { class: 'num' }, readableShare(share)),
  )
