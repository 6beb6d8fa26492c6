/** The command line was not understood; each problem is one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly problems: readonly string[]

  constructor(...problems: readonly string[]) {
    super(problems.join('; '))
    this.problems = problems
  }
}
