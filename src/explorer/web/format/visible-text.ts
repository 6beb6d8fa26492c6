/** Longer names are cut: a name is one line, and its source has the rest. */
const MAX_LENGTH = 120

/**
 * Text from outside as one line of text: control characters, and those that change the direction of the text around them or
 * show nothing at all, become spaces or `�`, so that a name cannot pose as another or reorder what stands beside it. No language stacks more than four
 * marks on a letter; further ones would cover the lines around it.
 */
export function visibleText(text: string): string {
  const line = text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(
      /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu,
      '�',
    )
    .replaceAll(/(\p{M}{4})\p{M}+/gu, '$1')
    .trim()
  const characters = [...line]
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH - 1).join('')}…` : line
}
