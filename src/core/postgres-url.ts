/** Whether the text is a `postgres://` or `postgresql://` URL. */
export const isPostgresUrl = (text: string): boolean =>
  /^postgres(ql)?:\/\//.test(text) && URL.canParse(text)
