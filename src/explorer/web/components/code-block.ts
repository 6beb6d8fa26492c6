import { h, type VNode } from 'preact'
import { copyButton } from './values/address.ts'

export interface CodeBlockOptions {
  /** The heading above the text, which says what it is. */
  readonly title: string
  readonly id: string
  readonly code: string
  /** Whether a button copies the text. @default true */
  readonly mayCopy?: boolean
}

/** A text to copy, with its lines as they are; long ones wrap. */
export const codeBlock = ({ title, id, code, mayCopy = true }: CodeBlockOptions): VNode =>
  h(
    'div',
    { class: 'code' },
    h('div', { class: 'code-head' }, h('h3', null, title), mayCopy && copyButton(code, title)),
    h('pre', null, h('code', { id }, code)),
  )
