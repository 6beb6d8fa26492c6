/** The first names of a list, then how many more there are. */
export function someOf(names: readonly string[], shown = 3): string {
  const more = names.length - shown
  return [...names.slice(0, shown), ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
