/* A program whose paid tool misbehaves as the first argument says. */
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const [, , how = ''] = process.argv

const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] })

/** Writes without an end, as fast as the reader reads. */
function writeForEver(part: string): Promise<never> {
  const write = () => {
    while (process.stdout.write(part));
  }
  process.stdout.on('drain', write)
  write()
  return new Promise(() => undefined)
}

const manners: Readonly<Record<string, () => Promise<ReturnType<typeof text>>>> = {
  long: async () => text('x'.repeat(200_000)),
  endless: () => writeForEver('x'.repeat(65_536)),
  noise: () => writeForEver(`${'no JSON '.repeat(100)}\n`),
  silent: () => new Promise(() => undefined),
  ends: async () => process.exit(1),
  'another id': () => {
    const result = { resultType: 'complete', ...text('sunny') }
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: 4_711, result })}\n`)
    return new Promise(() => undefined)
  },
  honest: async () => text('sunny'),
}

serveStdio(() => {
  const server = new McpServer({ name: 'hostile', version: '1.0.0' })
  const inputSchema = z.object({})
  server.registerTool('forecast', { inputSchema }, () => manners[how]?.() ?? text(how))
  return server
})
