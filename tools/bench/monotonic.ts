/**
 * Milliseconds on the machine's monotonic clock, comparable between processes to the microsecond.
 * (`performance.timeOrigin` differs between processes by a millisecond or two, as much as the measured times.)
 */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6
