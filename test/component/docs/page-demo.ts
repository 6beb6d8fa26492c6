/** A demo that runs from a clone of its own, beside programs on its usual ports, for pages whose commands work with it. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { type CloneCopy, cloneCopy } from '../../support/clone-copy.ts'
import { freePort } from '../../support/free-port.ts'
import { Terminal } from '../../support/terminal.ts'

/** What differs from a page, because other programs run on this machine too. */
export type Changes = readonly (readonly [from: string, to: string])[]

export const changed = (text: string, changes: Changes): string =>
  changes.reduce((typed, [from, to]) => typed.replaceAll(from, to), text)

export interface PageDemo extends AsyncDisposable {
  readonly clone: CloneCopy
  readonly terminal: Terminal
  /** The usual ports that other programs had. */
  readonly taken: readonly number[]
  /** From the ports of the pages to those of the demo. */
  readonly changes: Changes
}

export async function startPageDemo(): Promise<PageDemo> {
  await using opened = new AsyncDisposableStack()
  const clone = opened.use(await cloneCopy({ isBundled: true }))
  const taken = await takeUsualPorts()
  const terminal = opened.use(new Terminal(clone.folder, 'make run'))
  await terminal.printed(/Ctrl-C stops everything/)
  const portOf = (part: string) =>
    new RegExp(`^  ${part} +https?://127\\.0\\.0\\.1:(\\d+)`, 'm').exec(terminal.output)?.[1]
  const [api, facilitator] = [portOf('paid API'), portOf('facilitator')]
  const changes: Changes = [
    [':4021', `:${api}`],
    ['/4021.', `/${api}.`],
    [':8080', `:${facilitator}`],
    [':8000', `:${portOf('Stellar RPC')}`],
    [':8443', `:${portOf('over https')}`],
    ['4022', String(await freePort())],
  ]
  const running = opened.move()
  return { clone, terminal, taken, changes, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** Types blocks into one terminal and waits for their end. @returns the output */
export async function typeBlocks(
  { folder }: CloneCopy,
  changes: Changes,
  ...blocks: readonly string[]
): Promise<string> {
  await using terminal = new Terminal(folder, changed(blocks.join('\n'), changes))
  const { code, output } = await terminal.ended
  expect(code, output).toBe(0)
  return output
}

const USUAL_PORTS = [4021, 8080, 8081, 8000, 8443]

/** Takes the usual ports of the demo until the test ends. @returns those that were free */
async function takeUsualPorts(): Promise<number[]> {
  const servers = await Promise.all(USUAL_PORTS.map(listening))
  return servers.flatMap((server) => (server ? [(server.address() as AddressInfo).port] : []))
}

async function listening(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return undefined
  }
  onTestFinished(() => {
    server.close()
  })
  return server
}
