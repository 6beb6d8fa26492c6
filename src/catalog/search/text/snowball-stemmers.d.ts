declare module 'snowball-stemmers' {
  /** A stemmer of one language; `stem` takes a word in lower case. */
  export function newStemmer(language: string): { stem(word: string): string }
}
