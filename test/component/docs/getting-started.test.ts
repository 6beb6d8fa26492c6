import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { DemoProcess, ownPlace } from '../demo/demo-process.ts'

/*
 * Types the commands of the page in their order, against a demo of its own; only ports and folders are
 * changed.
 */

const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = readFileSync(join(root, 'docs/getting-started.md'), 'utf8')

interface Block {
  readonly language: string
  readonly text: string
}

/** The fenced blocks under the heading that starts with a number. */
function blocksOf(section: number): Block[] {
  const [, text = ''] = page.split(new RegExp(`^## ${section}\\. `, 'm'))
  const own = text.split(/^## /m)[0] ?? ''
  return [...own.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', body = '']) => ({
    language,
    text: body,
  }))
}

const shell = (section: number): string[] =>
  blocksOf(section).flatMap(({ language, text }) => (language === 'sh' ? [text] : []))
const program = (section: number): string =>
  blocksOf(section).find(({ language }) => language === 'js')?.text ?? ''

/** The page's addresses and folders, replaced by those of a running demo. */
async function inPlaceOf(dir: string): Promise<(text: string) => string> {
  const state = JSON.parse(readFileSync(join(dir, 'demo.json'), 'utf8'))
  const port = (url: string) => new URL(url).port
  const replaced: [string, string][] = [
    ['127.0.0.1:4021', `127.0.0.1:${state.apiPort}`],
    ['127.0.0.1:8080', `127.0.0.1:${port(state.facilitatorUrl)}`],
    ['127.0.0.1:8000', `127.0.0.1:${port(state.networkUrl)}`],
    ['127.0.0.1:8443', `127.0.0.1:${port(state.rpcUrl)}`],
    ['s/4021.weather/', `s/${state.apiPort}.weather/`],
    ['4022', String(await freePort())],
    ['.svc/demo', dir],
    ['svc -- pay', `svc -- pay --dir ${dir}`],
  ]
  return (text) => replaced.reduce((typed, [from, to]) => typed.replaceAll(from, to), text)
}

/** Inside the project, as the page says, so that programs there find its packages. */
function ownFolder(): Disposable & { readonly folder: string } {
  mkdirSync(join(root, '.svc'), { recursive: true })
  const folder = mkdtempSync(join(root, '.svc/typed-'))
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Types blocks into one shell. Resolves with the output; rejects at the first command that fails. */
const typeIn = (folder: string, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { HOME, PATH } = process.env
    const child = spawn('bash', ['-e', '-m'], { cwd: folder, env: { HOME, PATH } })
    let output = ''
    const take = (chunk: Buffer) => {
      output += chunk.toString()
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(output))))
    child.stdin.end(text)
  })

test('getting started works as it is typed', { timeout: 240_000 }, async () => {
  await using place = await ownPlace()
  using own = ownFolder()
  await using demo = new DemoProcess('demo', ...place.flags)
  await demo.printed(/Ctrl-C stops everything/)
  const adapt = await inPlaceOf(join(place.folder, 'demo'))
  const type = (...blocks: string[]) => typeIn(own.folder, adapt(blocks.join('\n')))

  const [, firstCommands = ''] = shell(1)
  const output = await type(firstCommands)
  expect(output).toContain('402 Payment Required')
  expect(output).toContain('"scheme":"exact"')
  expect(output).toMatch(/transaction +[0-9a-f]{64}/)

  writeFileSync(join(own.folder, 'client.mjs'), adapt(program(2)))
  expect(await type(...shell(2))).toContain('200 {"weather":"sunny"')

  writeFileSync(join(own.folder, 'server.mjs'), adapt(program(3)))
  expect(await type(shell(2)[0] ?? '', ...shell(3))).toContain('200 {"joke"')

  demo.signal('SIGTERM')
  expect((await demo.ended).code).toBe(0)
})
