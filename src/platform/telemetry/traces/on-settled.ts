/** Runs the work, and calls `over` once its result is settled, with the error if it failed. */
export function onSettled<T>(work: () => T, over: (failure?: { error: unknown }) => void): T {
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
