import { h, type VNode } from 'preact'
import { exactTime, relativeTime } from '../../format/time.ts'

/** `5 min ago`, with the exact time as its title; the script keeps it current, and switches all between both forms. */
export const time = (iso: string, now: number): VNode =>
  h('time', { dateTime: iso, title: exactTime(iso), 'data-relative': true }, relativeTime(iso, now))

/** The exact time in full, and how long ago that is. */
export const fullTime = (iso: string, now: number): VNode =>
  h(
    'span',
    { class: 'full-time' },
    h('time', { dateTime: iso }, exactTime(iso)),
    ' ',
    h('span', { class: 'soft' }, '(', time(iso, now), ')'),
  )

/** Switches every time of the page between relative and exact; only with a script. */
export const timeSwitch = (label = 'Time'): VNode =>
  h(
    'span',
    null,
    h('span', { 'data-without-script': true }, label),
    h(
      'button',
      {
        type: 'button',
        class: 'plain',
        'data-time-switch': true,
        hidden: true,
        title: 'Switch between relative and exact times',
      },
      label,
      h('span', { class: 'unseen' }, ', switch between relative and exact'),
      h('span', { 'aria-hidden': 'true' }, ' ⇄'),
    ),
  )
