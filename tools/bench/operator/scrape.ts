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
