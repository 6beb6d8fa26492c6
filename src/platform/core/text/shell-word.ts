/** A text as one word for a POSIX shell: quoted where it holds anything that a shell interprets. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
