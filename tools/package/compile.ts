import { execFile } from 'node:child_process'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { entries } from './entries.ts'

const execute = promisify(execFile)
const project = join(import.meta.dirname, '../..')
const tsc = join(project, 'node_modules/typescript/bin/tsc')
const config = join(import.meta.dirname, 'tsconfig.json')

/**
 * Compiles src into a folder: JavaScript with source maps of everything, declarations of what the entry points
 * reach. Types are checked for the declarations; `make check` checks the rest.
 */
export async function compile(folder: string): Promise<void> {
  await runTsc(['-p', config, '--outDir', folder, '--noCheck'])
  for (const file of globSync('**/*.js', { cwd: folder })) nameCompiledFiles(join(folder, file))
  await declareTypes(folder)
}

/** Writes the declarations of what the entry points reach into a folder, which exists. */
export async function declareTypes(folder: string): Promise<void> {
  const declarations = join(folder, 'tsconfig.json')
  const files = Object.values(entries).map((source) => join(project, source))
  writeFileSync(
    declarations,
    JSON.stringify({
      extends: config,
      compilerOptions: {
        outDir: folder,
        declaration: true,
        // For WebAssembly: in the whole clone, the types of a test library bring it in.
        lib: ['es2024', 'esnext.disposable', 'dom'],
        emitDeclarationOnly: true,
        sourceMap: false,
        inlineSources: false,
        typeRoots: [join(project, 'node_modules/@types')],
      },
      include: [],
      files,
    }),
  )
  await runTsc(['-p', declarations])
  rmSync(declarations)
  for (const file of globSync('**/*.d.ts', { cwd: folder })) nameCompiledTypes(join(folder, file))
}

/** @throws Error with what tsc printed */
async function runTsc(args: readonly string[]): Promise<void> {
  try {
    await execute(process.execPath, [tsc, ...args])
  } catch (error) {
    throw new Error(`tsc ${args.join(' ')}: ${Reflect.get(Object(error), 'stdout')}`)
  }
}

const sourceUrl = /(?<=new URL\('[^']+)\.ts(?=', import\.meta\.url\))/g
const sourceImport = /(?<=(?:from|import\() ?["']\.{1,2}\/[^"']+)\.ts(?=["'])/g

/** Workers and child processes are named by URL, which tsc leaves as it is. No column moves: source maps stay right. */
function nameCompiledFiles(file: string): void {
  const code = readFileSync(file, 'utf8')
  const changed = code.replace(sourceUrl, '.js')
  if (changed !== code) writeFileSync(file, changed)
}

/** tsc leaves the imports of declarations too; not every tool looks for x.d.ts when the name is x.ts. */
function nameCompiledTypes(file: string): void {
  const code = readFileSync(file, 'utf8')
  writeFileSync(file, code.replace(sourceImport, '.js'))
}
