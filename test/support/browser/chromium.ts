/**
 * The Chromium of the npm package `@sparticuz/chromium`, so that tests with a browser need nothing but `npm ci`. The
 * package has the program compressed, for Linux on x64 only.
 */
import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { toolFolder } from '../tool-cache.ts'

export interface Chromium {
  readonly program: string
  /** The whole environment of the program. */
  readonly environment: Readonly<Record<string, string>>
}

/** Why tests with a browser are skipped on this machine. */
interface NoChromium {
  readonly reason: string
}

const run = promisify(execFile)

const UNPACKING = 'unpacking-'
/** After this long, an unfinished folder belongs to a process that was killed. */
const ABANDONED_AFTER_MS = 3_600_000

let found: Promise<Chromium | NoChromium> | undefined

/** Unpacks Chromium if this machine has not done so yet, and starts it once to see whether it can run. */
export function findChromium(): Promise<Chromium | NoChromium> {
  found ??= look()
  return found
}

/** Why tests with a browser are skipped on this machine; undefined when it runs one. */
export async function noChromium(): Promise<string | undefined> {
  const chromium = await findChromium()
  return 'reason' in chromium ? chromium.reason : undefined
}

async function look(): Promise<Chromium | NoChromium> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    const reason = `@sparticuz/chromium has no program for ${process.platform} on ${process.arch}`
    return { reason }
  }
  const folder = await unpackOnce()
  const program = join(folder, 'chromium')
  const alone = { ...(await fontSettings(folder)), HOME: folder, TZ: 'UTC', LANG: 'en_US.UTF-8' }
  // Amazon's libraries are second choice: the machine's own fit to the machine's libc.
  const withLibraries = { ...alone, LD_LIBRARY_PATH: join(folder, 'al2023/lib') }
  let reason = ''
  for (const environment of [alone, withLibraries]) {
    try {
      await run(program, ['--version'], { env: environment })
      return { program, environment }
    } catch (error) {
      reason = `Chromium does not start: ${(error as { stderr?: string }).stderr || String(error)}`
    }
  }
  return { reason: reason.trim() }
}

/** Two processes may unpack at the same time: each does so in a folder of its own, and the first to finish keeps it. */
async function unpackOnce(): Promise<string> {
  const entry = fileURLToPath(import.meta.resolve('@sparticuz/chromium'))
  const manifest = await readFile(join(dirname(entry), '../package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  const versionFolder = await toolFolder('chromium', version)
  const folder = join(versionFolder, 'unpacked')
  if (existsSync(folder)) return folder
  await removeAbandoned(versionFolder)
  const mine = join(versionFolder, UNPACKING + randomUUID())
  await mkdir(mine)
  try {
    await unpackInto(mine, entry)
    await rename(mine, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    await rm(mine, { recursive: true, force: true })
  }
  return folder
}

/**
 * The package unpacks to the folder for temporary files, and its libraries only on what looks like Amazon Linux 2023.
 * It reads both from the environment, so it runs in a process of its own.
 */
async function unpackInto(folder: string, entry: string): Promise<void> {
  const code = `import { default as chromium } from ${JSON.stringify(entry)}; await chromium.executablePath()`
  await run(process.execPath, ['--input-type=module', '--eval', code], {
    env: { TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
  })
}

async function removeAbandoned(versionFolder: string): Promise<void> {
  for (const name of await readdir(versionFolder)) {
    if (!name.startsWith(UNPACKING)) continue
    const path = join(versionFolder, name)
    const modified = await stat(path).catch(() => undefined)
    if (modified && Date.now() - modified.mtimeMs > ABANDONED_AFTER_MS)
      await rm(path, { recursive: true, force: true })
  }
}

/** Fonts of npm packages only, so that pages look the same on every machine. */
async function fontSettings(folder: string): Promise<Record<string, string>> {
  const dejaVu = fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'))
  const families = {
    'sans-serif': 'Open Sans',
    'system-ui': 'Open Sans',
    monospace: 'DejaVu Sans Mono',
    'ui-monospace': 'DejaVu Sans Mono',
  }
  const aliases = Object.entries(families).map(
    ([generic, family]) =>
      `<alias><family>${generic}</family><prefer><family>${family}</family></prefer></alias>`,
  )
  const configuration = [
    '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>',
    ...[join(folder, 'fonts/fonts'), dirname(dejaVu)].map((path) => `<dir>${path}</dir>`),
    `<cachedir>${join(folder, 'font-cache')}</cachedir>`,
    ...aliases,
    '</fontconfig>',
  ].join('\n')
  // Each checkout has the DejaVu fonts elsewhere.
  const checkout = createHash('sha256').update(dejaVu).digest('hex').slice(0, 16)
  const path = join(folder, `fonts-${checkout}.conf`)
  const fresh = `${path}.${randomUUID()}`
  await writeFile(fresh, configuration)
  await rename(fresh, path)
  return { FONTCONFIG_FILE: path }
}
