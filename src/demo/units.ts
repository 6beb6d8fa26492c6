/** Renders milliseconds as seconds with one decimal: `1.4 s`. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** Groups the digits of a number by three: `33,029`. */
export const grouped = (value: bigint | number): string => value.toLocaleString('en-US')
