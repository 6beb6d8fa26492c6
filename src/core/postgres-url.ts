/** Whether the text is a `postgres://` or `postgresql://` URL. */
export const isPostgresUrl = (text: string): boolean =>
  /^postgres(ql)?:\/\//.test(text) && URL.canParse(text)

/**
 * What to write in a text that starts as such a URL and cannot be read as one, to follow "holds no postgres:// URL"; empty for any other
 * text. It names no character of the text, which is a secret.
 */
export const hintFor = (text: string): string =>
  /^postgres(ql)?:\/\//.test(text) && !URL.canParse(text)
    ? ' that can be read: write @ : / ? # % of its password as %40 %3A %2F %3F %23 %25'
    : ''
