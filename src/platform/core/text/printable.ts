/** Replaces control characters, which could move a terminal's cursor or colour it, in text from outside. */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, ' ')
