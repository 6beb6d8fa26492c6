/**
 * Texts of strangers (sellers, other facilitators) are hostile: they can reorder or hide what a person reads, and
 * carry instructions that only a machine sees. HTML stays as it is; what shows a text escapes it.
 */

/**
 * Control and format characters (bidirectional overrides and isolates among them), lone surrogates, private use,
 * noncharacters, and whatever else has no glyph: variation selectors, tags, fillers, the blank braille pattern.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800]/gu
const HIDDEN_IN_BLOCK =
  /[^\P{Cc}\t\n]|[\p{Cf}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800]/gu

const WHITE_SPACE = /\p{White_Space}+/gu

/** No language stacks more marks on a letter; further ones cover the lines around it. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu

/** One line without hidden characters: white space becomes single spaces. May be empty. */
export const cleanLine = (text: string): string =>
  text
    .replace(WHITE_SPACE, ' ')
    .replace(HIDDEN, '')
    .replace(/ {2,}/g, ' ')
    .replace(STACKED_MARKS, '$1')
    .trim()

/**
 * A text that may have several lines, without hidden characters. Each line ends with a line feed: a carriage return alone
 * moves a terminal to the start of the line, over the mark that a reader of lines put there.
 */
export const cleanBlock = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(HIDDEN_IN_BLOCK, '')

/** Whether a name or a URL holds characters that no one sees. */
export const hasHidden = (text: string): boolean => text.search(HIDDEN) >= 0

/** Cuts a text to at most `length` characters, without half a surrogate pair at the end. */
export const cutTo = (length: number, text: string): string =>
  text.length <= length ? text : text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
