/** Programs in a folder of their own, with this clone in place of the installed package. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const clone = fileURLToPath(new URL('../../..', import.meta.url))

interface Run {
  readonly code: number | null
  readonly output: string
}

/** Runs the script `test` of an example's package.json. */
export const testExample = (name: string): Promise<Run> =>
  inFolder(async (folder) => {
    await cp(join(clone, 'examples', name), folder, { recursive: true })
    const { dependencies, devDependencies } = JSON.parse(
      await readFile(join(folder, 'package.json'), 'utf8'),
    )
    for (const dependency of Object.keys({ ...dependencies, ...devDependencies })) {
      await link(folder, dependency, join(clone, 'node_modules', dependency))
    }
    return await run(folder, 'npm', ['test', '--silent'])
  })

/** Runs a program in TypeScript that needs the SDK. */
export const runProgram = (source: string): Promise<Run> =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    await writeFile(join(folder, 'program.ts'), source)
    const sdk = '@stellar/stellar-sdk'
    await link(folder, sdk, join(clone, 'node_modules', sdk))
    return await run(folder, 'node', ['program.ts'])
  })

async function inFolder(work: (folder: string) => Promise<Run>): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-example-'))
  try {
    await link(folder, 'svc', clone)
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function link(folder: string, dependency: string, target: string): Promise<void> {
  const path = join(folder, 'node_modules', dependency)
  await mkdir(dirname(path), { recursive: true })
  await symlink(target, path)
}

/** As a user's shell runs it: without what the test runner of this repository sets. */
async function run(folder: string, command: string, args: readonly string[]): Promise<Run> {
  const bin = join(clone, 'node_modules/.bin')
  const { HOME = '', PATH = '' } = process.env
  const env = { HOME, PATH: `${bin}:${PATH}`, NO_COLOR: '1' }
  const child = spawn(command, args, { cwd: folder, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}
