const MARKS = /\p{M}+/gu
const ASCII = /^[\x20-\x7e]*$/
const CAMEL = /(\p{Ll}|\p{N})(\p{Lu})/gu
const ACRONYM = /(\p{Lu})(?=\p{Lu}\p{Ll})/gu
const WORD = /[\p{L}\p{N}]+/gu
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/u

/**
 * The words of a text in lower case and without diacritics, identifiers split: `getTokenPrice`, `get_token_price` and
 * `get-token-price` are three words each. A script that writes no spaces is cut into pairs of characters.
 */
export function splitWords(text: string): string[] {
  const plain = ASCII.test(text) ? text : text.normalize('NFKD').replace(MARKS, '').normalize('NFC')
  const spaced = plain.replace(ACRONYM, '$1 ').replace(CAMEL, '$1 $2').toLowerCase()
  const found = spaced.match(WORD) ?? []
  return ASCII.test(spaced) ? found : found.flatMap(pairsOfUnspaced)
}

function pairsOfUnspaced(word: string): string[] {
  if (!UNSPACED.test(word)) return [word]
  const characters = [...word]
  if (characters.length < 3) return [word]
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`)
}
