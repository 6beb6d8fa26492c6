const grouped = new Intl.NumberFormat('en-US')

/** `12,345` */
export const readableCount = (count: number): string => grouped.format(count)

/** `1 payment`, `2 payments` */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${readableCount(count)} ${count === 1 ? one : many}`

/** A share from 0 to 1 as `12.3 %`; one that is not zero never reads as `0 %`, nor one below 1 as `100 %`. */
export function readableShare(share: number): string {
  if (share <= 0) return '0 %'
  if (share < 0.001) return '< 0.1 %'
  if (share < 1 && share > 0.999) return '> 99.9 %'
  return `${(share * 100).toFixed(1).replace(/\.0$/, '')} %`
}

/** A part of a whole, 0 of nothing. */
export const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)
