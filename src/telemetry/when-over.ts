/** Runs the work, and tells once what it returned is settled: undefined, or what it failed with. */
export function whenOver<T>(work: () => T, over: (failure?: { error: unknown }) => void): T {
  try {
    const result = work()
    if (!(result instanceof Promise)) {
      over()
      return result
    }
    result.then(
      () => over(),
      (error: unknown) => over({ error }),
    )
    return result
  } catch (error) {
    over({ error })
    throw error
  }
}
