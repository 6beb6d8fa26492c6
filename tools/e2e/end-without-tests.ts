/** Where set to `true`, a run whose machine cannot run the tests fails: a workflow would otherwise pass without them. */
export const REQUIRED_VARIABLE = 'E2E_REQUIRED'

export interface RunEnd {
  /** The reason, and a last line that has the form of a run's. */
  readonly text: string
  readonly exitCode: 0 | 1
}

/** The output and exit code of a program of real nodes where it cannot run its tests. */
export function endWithoutTests(program: string, reason: string, required?: string): RunEnd {
  return required === 'true'
    ? {
        text: `${program} cannot run: ${reason}; ${REQUIRED_VARIABLE} is true.\n0 passed, 1 failed, 0 skipped\n`,
        exitCode: 1,
      }
    : { text: `${program} is skipped: ${reason}.\n0 passed, 0 failed, 1 skipped\n`, exitCode: 0 }
}
