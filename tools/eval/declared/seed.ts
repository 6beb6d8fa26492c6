import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a seller wrote, a line of `listings/*.jsonl`; `declaration.ts` makes a whole declaration of it. */
export interface Seed {
  id: string
  /** A method of HTTP, or an MCP tool. */
  kind: 'GET' | 'POST' | 'mcp'
  /** Host and path. */
  url: string
  /** Each option: `t` or `p` for the network, `E` or `X` for EURC or XLM, the amount, `u` for the scheme `upto`; separated by commas. */
  prices: string
  /** The service's name, or the tool's. */
  name?: string
  tags?: string[]
  description?: string
  /** Inputs with an example each, and a description in parentheses where there is one: `city=Lagos(Name of the city),days=3`. */
  input?: string
  /** Names of the members of the answer. */
  output?: string
}

const folder = join(import.meta.dirname, 'listings')

export const readSeeds = (): Seed[] =>
  readdirSync(folder)
    .sort()
    .flatMap((file) => readLines<Seed>(join(folder, file)))

export const readLines = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T)
