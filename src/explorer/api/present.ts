type Present<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> }

/** The members that have a value. */
export const present = <T extends object>(values: T): Present<T> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Present<T>
