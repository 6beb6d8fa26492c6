/**
 * The demo cannot go on for a reason outside of it: a port in use, a full disk, a part that did not
 * start. The message says what happened, `hint` what to try.
 */
export class DemoFailure extends Error {
  override readonly name = 'DemoFailure'
  readonly hint: string | undefined

  constructor(message: string, hint?: string, cause?: unknown) {
    super(message, { cause })
    this.hint = hint
  }
}

/** The text to print for an error: message and hint of a DemoFailure; undefined for any other error. */
export function explainDemoFailure(error: unknown): string | undefined {
  if (!(error instanceof DemoFailure)) return undefined
  return error.hint === undefined ? error.message : `${error.message}\n${error.hint}`
}

interface KnownCause {
  /** Matches messages of the system or of Postgres. */
  readonly pattern: RegExp
  readonly hint: string
}

const knownCauses: readonly KnownCause[] = [
  { pattern: /ENOSPC|no space left/i, hint: 'Free some disk space and start again.' },
  { pattern: /EDQUOT|disk quota/i, hint: 'Your disk quota is used up. Free some and start again.' },
  { pattern: /EROFS|read-only file system/i, hint: 'The folder of temporary files is read-only.' },
  {
    pattern: /EADDRINUSE|address already in use/i,
    hint: 'Another process took the port. Choose others: npm run --silent svc -- demo --help.',
  },
  { pattern: /EMFILE|too many open files/i, hint: 'Raise the limit of open files (ulimit -n).' },
  { pattern: /ENOMEM|cannot allocate memory/i, hint: 'The machine has no memory left.' },
]

/** Says which part failed and, where the cause is known, what to do about it. */
export function asDemoFailure(part: string, error: unknown): DemoFailure {
  if (error instanceof DemoFailure) return error
  const messages = messagesOf(error)
  const known = knownCauses.find(({ pattern }) => messages.some((text) => pattern.test(text)))
  return new DemoFailure(`${part} did not start: ${messages[0]}`, known?.hint, error)
}

/** The message of an error, then those of its causes. */
function messagesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)]
  return [error.message, ...(error.cause === undefined ? [] : messagesOf(error.cause))]
}
