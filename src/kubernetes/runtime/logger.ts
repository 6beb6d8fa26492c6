type Write = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** Where the runtime logs: a logger of pino, or any other that takes the object first and the sentence second. */
export interface Logger {
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
  /** A logger that adds the fields to each line. */
  child(fields: Readonly<Record<string, unknown>>): Logger
}
