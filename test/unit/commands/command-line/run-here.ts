import { vi } from 'vitest'

/** Runs a command in this process and captures what it prints. */
export async function runHere(of: (args: readonly string[]) => Promise<number>, ...args: string[]) {
  const written = (stream: NodeJS.WriteStream) =>
    vi.spyOn(stream, 'write').mockImplementation(accept).mock.calls
  const [out, err] = [written(process.stdout), written(process.stderr)]
  const code = await of(args)
  vi.restoreAllMocks()
  const textOf = (calls: typeof out) => calls.map(([chunk]) => String(chunk)).join('')
  return { code, out: textOf(out), err: textOf(err) }
}

/** Tells whoever waits that the text was written. */
function accept(...[, ...rest]: readonly unknown[]): boolean {
  const done = rest.at(-1)
  if (typeof done === 'function') done()
  return true
}
