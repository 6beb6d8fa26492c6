import { h, type VNode } from 'preact'

/** Says whether a table updates by itself, and pauses it; the script shows it. */
export const liveControls = (): VNode =>
  h(
    'div',
    { class: 'live', 'data-live-controls': true, hidden: true },
    h('span', { class: 'dot', 'aria-hidden': 'true' }),
    h('span', { 'data-live-state': true }, 'Connecting'),
    h('button', { type: 'button', class: 'button quiet small', 'data-live-pause': true }, 'Pause'),
  )
