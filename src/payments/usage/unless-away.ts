import { StoreUnavailable } from '../../platform/database/postgres/unavailable.ts'

/** Handles an error of one write. While the store is away no other write succeeds either: then throws the error again. */
export const unlessAway =
  <T>(handle: (error: unknown) => T) =>
  (error: unknown): T => {
    if (error instanceof StoreUnavailable) throw error
    return handle(error)
  }
