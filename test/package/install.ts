import { globSync, readFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { output } from '../../tools/image/command.ts'
import { entries } from '../../tools/package/entries.ts'
import type { Runtime } from './support/runtimes.ts'

const { folder, tarball, npm } = inject('installed')
const names = Object.keys(entries).map((entry) => entry.replace('.', 'stellar-x402'))
const version: string = JSON.parse(readFileSync('package.json', 'utf8')).version
const anyPorts = ['port', 'facilitator-port', 'explorer-port', 'network-port', 'network-tls-port']
const demo = ['demo', '--once', ...anyPorts.flatMap((flag) => [`--${flag}`, '0'])]

/** Prints what each entry point of the sources exports: here Node runs them, and Vite would transform each. */
const ofSources = [
  '--input-type=module',
  '--eval',
  `const exported = {}
   for (const name of ${JSON.stringify(names)}) exported[name] = Object.keys(await import(name))
   console.log(JSON.stringify(exported))`,
]

/** Runs code in the project that has the package, and returns what it prints. */
async function run(program: string, code: string, name = 'program.js'): Promise<string> {
  const file = join(await mkdtemp(join(folder, 'test-')), name)
  await writeFile(file, code)
  return output(program, [file], { cwd: folder })
}

/** What a project has from the installed package, with this Node. */
export function describeInstalled({ node, program }: Runtime): void {
  describe(`the installed package on ${node}`, () => {
    it('has what every command loads', async () => {
      const bundled = globSync('node_modules/stellar-x402/lib/bundled/*.js', { cwd: folder })
      expect(bundled).not.toEqual([])
      const printed = await run(
        program,
        `const { commands } = await import('${join(folder, 'node_modules/stellar-x402/lib/commands/commands.js')}')
       for (const { load } of Object.values(commands)) await load()
       for (const file of ${JSON.stringify(bundled)}) await import('${folder}/' + file)
       console.log('loaded')`,
      )
      expect(printed).toBe('loaded\n')
    })

    // One process for all: most of the time goes into loading.
    it('exports what the sources export, and adds no global but those of its libraries', async () => {
      const printed = await run(
        program,
        `const before = Object.getOwnPropertyNames(globalThis)
       const exported = {}
       for (const name of ${JSON.stringify(names)}) exported[name] = Object.keys(await import(name))
       const added = Object.getOwnPropertyNames(globalThis).filter((name) => !before.includes(name))
       console.log(JSON.stringify({ exported, added }))`,
      )
      const { exported, added } = JSON.parse(printed)
      expect(exported).toEqual(JSON.parse(await output(process.execPath, ofSources)))
      const ofLibraries = /^(__zod_global|__USE_(AXIOS|EVENTSOURCE)__$)/
      expect(added.filter((name: string) => !ofLibraries.test(name))).toEqual([])
    })

    it('has a bin that knows its version and its commands', async () => {
      const svc = join(folder, 'node_modules/stellar-x402/bin/svc')
      expect(await output(program, [svc, '--version'])).toContain(`svc ${version}, Node `)
      expect(await output(program, [svc, '--help'])).toContain('Run a whole demo')
    })

    it('runs the declaration of docs/package.md', async () => {
      const page = readFileSync('docs/package.md', 'utf8')
      const [, code = ''] = /```js\n(import assert[\s\S]*?)```/.exec(page) ?? []
      expect(await run(program, code)).toBe('https://api.example.com/weather\n')
    })

    it('runs the program of docs/localnet.md', async () => {
      const page = readFileSync('docs/localnet.md', 'utf8')
      const [, code = ''] = /^## In a test\n[^#]*?```ts\n(.*?)```/ms.exec(page) ?? []
      expect(await run(program, code, 'program.ts')).toBe('SUCCESS\n')
    })

    it('keeps the lines of the sources in its source maps', async () => {
      const printed = await output(program, [
        '--enable-source-maps',
        '--input-type=module',
        '--eval',
        `const { UptoStellarScheme } = await import('${join(folder, 'node_modules/stellar-x402/lib/buying/upto/client.js')}')
       await new UptoStellarScheme({ address: 'G' }).createPaymentPayload(1, {}).catch((error) => console.log(error.stack))`,
      ])
      expect(printed).toMatch(/src\/buying\/upto\/client\.ts:\d+/)
    })
  })
}

/** What `npx` makes of the tarball, with this Node. */
export function describeNpx({ node, program }: Runtime): void {
  describe(`npx with the tarball in an empty folder on ${node}`, () => {
    let empty = ''
    beforeAll(async () => {
      empty = await mkdtemp(join(tmpdir(), 'svc-npx-'))
      // npx runs a path that begins with a slash as a program, whatever it is.
      await copyFile(tarball, join(empty, basename(tarball)))
    })
    afterAll(() => rm(empty, { recursive: true, force: true }))

    const npx = (args: readonly string[]) =>
      output('npx', ['--yes', `./${basename(tarball)}`, ...args], {
        cwd: empty,
        env: { ...npm, HOME: empty, PATH: [dirname(program), process.env['PATH']].join(delimiter) },
      })

    it('runs a demo that pays twice', { timeout: 240_000 }, async () => {
      const printed = await npx(demo)
      expect(printed).toContain('One paid call')
      expect(printed).toContain('One metered call')
    })
  })
}
