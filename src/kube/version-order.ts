const decimal = /^[1-9]\d*$/

/**
 * How a resourceVersion stands to the last one seen. Kubernetes has called them opaque and, since 1.35,
 * decimal numbers that grow; where they are no such numbers whatever comes is taken for newer.
 */
export function orderOf(version: string, last: string | undefined): 'newer' | 'same' | 'older' {
  if (version === last) return 'same'
  if (last === undefined || !decimal.test(version) || !decimal.test(last)) return 'newer'
  if (version.length !== last.length) return version.length > last.length ? 'newer' : 'older'
  return version > last ? 'newer' : 'older'
}
