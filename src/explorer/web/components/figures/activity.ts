import { h, type VNode } from 'preact'
import { counted } from '../../format/count.ts'

const BAR = 4
const STEP = 5
const HEIGHT = 28

/** The settlements of a listing in the last days, oldest first, as bars. What they show is also their name, for those who do not see them. */
export function activity(days: readonly number[], className = 'activity'): VNode {
  const all = days.reduce((sum, each) => sum + each, 0)
  const words = `${counted(all, 'settlement')} in ${days.length} days`
  if (all === 0) return h('span', { class: 'soft' }, `none in ${days.length} days`)
  const most = Math.max(...days)
  return h(
    'svg',
    {
      class: className,
      viewBox: `0 0 ${days.length * STEP - 1} ${HEIGHT}`,
      role: 'img',
      'aria-label': `${words}, at most ${most} in a day`,
    },
    h('title', null, words),
    h('path', { class: 'none', d: barsOf(days, (count) => (count === 0 ? 1 : 0)) }),
    h('path', {
      d: barsOf(days, (count) =>
        count === 0 ? 0 : Math.max(3, Math.round((count / most) * HEIGHT)),
      ),
    }),
  )
}

/** One path for all bars: an element for each would be most of a page with many charts. */
const barsOf = (days: readonly number[], heightOf: (count: number) => number): string =>
  days
    .map((count, at) => {
      const height = heightOf(count)
      return height === 0 ? '' : `M${at * STEP} ${HEIGHT}v-${height}h${BAR}v${height}z`
    })
    .join('')
