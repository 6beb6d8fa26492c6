/**
 * Milliseconds on the machine's monotonic clock, which every process reads alike: moments of two
 * processes can be compared to the microsecond. (Their `performance.timeOrigin` can not: it is off
 * by a millisecond or two, as long as what is measured.)
 */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6
