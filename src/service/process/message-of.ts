type ErrorClass = abstract new (...args: never[]) => Error

/** For `explain`: the message of an error of one of these classes. */
export const messageOf =
  (...classes: readonly ErrorClass[]) =>
  (error: unknown): string | undefined =>
    error instanceof Error && classes.some((kind) => error instanceof kind)
      ? error.message
      : undefined
