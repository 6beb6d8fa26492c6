/** A row of the table. */
export interface Measure {
  readonly what: string
  readonly target: string
  readonly figure: string
  /** Whether the figure is within its target. */
  readonly met: boolean
}

export const milliseconds = (value: number): string =>
  `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ms`

export const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`
