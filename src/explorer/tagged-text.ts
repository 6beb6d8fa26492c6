import { hash } from 'node:crypto'

/** An answer as it is sent. */
export interface TaggedText {
  readonly text: string
  /** Weak: the encodings of an answer differ in bytes and not in meaning. */
  readonly tag: string
}

const TAG_LENGTH = 22

export const taggedText = (text: string): TaggedText => ({
  text,
  tag: `W/"${hash('sha256', text, 'base64url').slice(0, TAG_LENGTH)}"`,
})

/**
 * Whether `If-None-Match` names the tag. Compares weakly (RFC 9110, 13.1.2): proxies may have weakened or strengthened it.
 */
export function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  const opaque = (each: string) => each.trim().replace(/^W\//, '')
  return header.split(',').some((each) => each.trim() === '*' || opaque(each) === opaque(tag))
}
