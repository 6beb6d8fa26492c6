/**
 * Something an expected circumstance prevents: a port in use, a full disk, a part that did not
 * start. The message is all that a person needs; `hint` says what to try.
 */
export class DemoFailure extends Error {
  override readonly name = 'DemoFailure'
  readonly hint: string | undefined

  constructor(message: string, hint?: string, cause?: unknown) {
    super(message, { cause })
    this.hint = hint
  }
}

interface Circumstance {
  readonly sign: RegExp
  readonly hint: string
}

/** What the texts of the system and of Postgres mean for whoever runs the demo. */
const circumstances: readonly Circumstance[] = [
  { sign: /ENOSPC|no space left/i, hint: 'Free some disk space and start again.' },
  { sign: /EDQUOT|disk quota/i, hint: 'Your disk quota is used up. Free some and start again.' },
  { sign: /EROFS|read-only file system/i, hint: 'The folder of temporary files is read-only.' },
  {
    sign: /EADDRINUSE|address already in use/i,
    hint: 'Another process took the port. Choose others: svc demo --help.',
  },
  { sign: /EMFILE|too many open files/i, hint: 'Raise the limit of open files (ulimit -n).' },
  { sign: /ENOMEM|cannot allocate memory/i, hint: 'The machine has no memory left.' },
]

/** Says which part failed and, where the cause is known, what to do about it. */
export function asDemoFailure(part: string, error: unknown): DemoFailure {
  if (error instanceof DemoFailure) return error
  const words = wordsOf(error)
  const known = circumstances.find(({ sign }) => words.some((text) => sign.test(text)))
  return new DemoFailure(`${part} did not start: ${words[0]}`, known?.hint, error)
}

/** What an error says, then what its causes say: the first is the plainest, the last the nearest. */
function wordsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)]
  return [error.message, ...(error.cause === undefined ? [] : wordsOf(error.cause))]
}
