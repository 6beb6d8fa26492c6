/** Whether an HTTP status says that the same request may succeed later: 408, 429 and 5xx. */
export const isTransientStatus = (status: number): boolean =>
  status === 408 || status === 429 || status >= 500
