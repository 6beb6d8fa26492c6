/** Exit code of a process whose configuration is wrong (`EX_CONFIG` of sysexits.h). */
export const EX_CONFIG = 78

export interface Problem {
  readonly variable: string
  /** Continues the variable's name into a sentence. Never holds the value: it may be a secret. */
  readonly message: string
}

/** The environment does not configure the command; `problems` has every reason. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const lines = problems.map(({ variable, message }) => `  ${variable} ${message}`)
    // A variable for every network is read once for each.
    super(`the configuration is invalid:\n${[...new Set(lines)].join('\n')}`)
    this.problems = problems
  }
}
