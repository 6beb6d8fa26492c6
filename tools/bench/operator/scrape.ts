/** The sum over all label sets of each metric that a process exposes, by name. */
export async function scrape(adminUrl: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  const sums = new Map<string, number>()
  for (const line of text.split('\n')) {
    const match = /^(?<name>[a-z_]+)(\{[^}]*\})? (?<value>\S+)$/.exec(line)
    const { name, value } = match?.groups ?? {}
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + Number(value))
  }
  return sums
}

/** The sum of one metric over the label sets that contain all of these, such as `verb="patch"`. */
export async function scrapeOne(
  adminUrl: string,
  name: string,
  labels: readonly string[] = [],
): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => labels.every((label) => line.includes(label)))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
