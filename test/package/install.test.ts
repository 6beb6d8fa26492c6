import { readFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { output } from '../../tools/image/command.ts'
import { entries } from '../../tools/package/entries.ts'
import { startLocalRegistry } from './support/local-registry.ts'
import { runtimes } from './support/runtimes.ts'

const { folder, tarball } = inject('installed')
const names = Object.keys(entries).map((entry) => entry.replace('.', 'svc'))
const version: string = JSON.parse(readFileSync('package.json', 'utf8')).version
const anyPorts = ['port', 'facilitator-port', 'explorer-port', 'network-port', 'network-tls-port']
const demo = ['demo', '--once', ...anyPorts.flatMap((flag) => [`--${flag}`, '0'])]

/** Runs code in the project that has the package, and returns what it prints. */
async function run(program: string, code: string, name = 'program.js'): Promise<string> {
  const file = join(await mkdtemp(join(folder, 'test-')), name)
  await writeFile(file, code)
  return output(program, [file], { cwd: folder })
}

describe.each(runtimes)('the installed package on $node', ({ program }) => {
  it.each(names)('exports from %s what the sources export', async (name) => {
    const printed = await run(
      program,
      `import * as entry from '${name}'; console.log(JSON.stringify(Object.keys(entry)))`,
    )
    expect(JSON.parse(printed)).toEqual(Object.keys(await import(name)).toSorted())
  })

  it('adds no global by being imported, but for those of its libraries', async () => {
    const imports = names.map((name) => `await import('${name}')`).join('\n')
    const printed = await run(
      program,
      `const before = Object.getOwnPropertyNames(globalThis)
       ${imports}
       const added = Object.getOwnPropertyNames(globalThis).filter((name) => !before.includes(name))
       console.log(JSON.stringify(added))`,
    )
    const ofLibraries = /^(__zod_global|__USE_(AXIOS|EVENTSOURCE)__$)/
    expect(JSON.parse(printed).filter((name: string) => !ofLibraries.test(name))).toEqual([])
  })

  it('has a bin that knows its version and its commands', async () => {
    const svc = join(folder, 'node_modules/svc/bin/svc')
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
      `const { UptoStellarScheme } = await import('${join(folder, 'node_modules/svc/lib/upto/client.js')}')
       await new UptoStellarScheme({ address: 'G' }).createPaymentPayload(1, {}).catch((error) => console.log(error.stack))`,
    ])
    expect(printed).toMatch(/src\/upto\/client\.ts:\d+/)
  })
})

describe('npx with the tarball in an empty folder', () => {
  it.each(runtimes)(
    'runs a demo that pays twice on $node',
    { timeout: 240_000 },
    async ({ program }) => {
      const empty = await mkdtemp(join(tmpdir(), 'svc-npx-'))
      onTestFinished(() => rm(empty, { recursive: true, force: true }))
      await using registry = await startLocalRegistry()
      // npx runs a path that begins with a slash as a program, whatever it is.
      await copyFile(tarball, join(empty, basename(tarball)))
      const printed = await output('npx', ['--yes', `./${basename(tarball)}`, ...demo], {
        cwd: empty,
        env: {
          HOME: empty,
          PATH: [dirname(program), process.env['PATH']].join(delimiter),
          npm_config_registry: registry.url,
          npm_config_cache: join(empty, 'cache'),
          npm_config_ignore_scripts: 'true',
        },
      })
      expect(printed).toContain('One paid call')
      expect(printed).toContain('One metered call')
    },
  )
})
