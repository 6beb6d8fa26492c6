/** Advance widths of DejaVu Sans Bold in em, rounded up, by what needs how much; the regular face is narrower. */
const widths: readonly { readonly of: RegExp; readonly em: number }[] = [
  { of: /\p{M}/u, em: 0 },
  { of: /[.,:;|'!ijlI ]/, em: 0.4 },
  { of: /[ftr()[\]/\\-]/, em: 0.5 },
  { of: /[mwMWQ@%&\u2014\u2026]/, em: 1.12 },
  { of: /[a-z0-9⁰¹²³⁴⁵⁶⁷⁸⁹]/, em: 0.72 },
  { of: /[A-Z]/, em: 0.86 },
]
/** Letters of other scripts, some of them ligatures of several. */
const WIDEST_EM = 1.3

/** At least what a text needs, in multiples of the font's size. */
export function widthInEm(text: string): number {
  let sum = 0
  for (const character of text) {
    sum += widths.find(({ of }) => of.test(character))?.em ?? WIDEST_EM
  }
  return sum
}

/** The text, or as much of it as fits `em`, then `…`. */
export function cutToWidth(text: string, em: number): string {
  if (widthInEm(text) <= em) return text
  let kept = ''
  for (const character of text) {
    if (widthInEm(`${kept}${character}…`) > em) break
    kept += character
  }
  return `${kept.trimEnd()}…`
}

/** What DejaVu Sans can draw; a name with anything else would be a row of boxes. */
const drawable =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hebrew}\p{Script=Arabic}\p{M}\p{Nd}\u0020-\u036f\u2010-\u205e\u20a0-\u20b8\u2100-\u22ff]+$/u

export const isDrawable = (text: string): boolean => drawable.test(text)
