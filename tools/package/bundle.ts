import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin, parseSync } from 'vite'
import { type BundledPackage, bundledPackages } from './libraries.ts'

const project = join(import.meta.dirname, '../..')
/** Folder of the bundles in the compiled code: `bundled/x402-core-http.js`. */
const FOLDER = 'bundled'
const ENTRY = '\0bundled:'

/** The names that the compiled code imports, by module. */
type Imported = Map<string, ReadonlySet<string>>

/**
 * Puts what the compiled code uses of the bundled packages beside it, without what nothing uses, and has the code import
 * it from there.
 */
export async function bundleLibraries(folder: string): Promise<void> {
  const files = globSync('**/*.js', { cwd: folder }).map((path) => join(folder, path))
  const imported: Imported = new Map()
  for (const file of files) nameBundledFiles(file, folder, imported)
  await build({
    configFile: false,
    root: project,
    logLevel: 'error',
    publicDir: false,
    plugins: [entryModules(imported), licenceTexts()],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      minify: false,
      target: 'node22',
      outDir: join(folder, FOLDER),
      emptyOutDir: true,
      rolldownOptions: {
        input: Object.fromEntries([...imported.keys()].map((name) => [fileOf(name), ENTRY + name])),
        output: { entryFileNames: '[name].js', chunkFileNames: 'shared/[name].js' },
      },
    },
  })
}

const fileOf = (name: string): string => name.replace('@', '').replaceAll('/', '-')

const isBundled = (name: string): boolean => {
  const [scope = '', rest] = name.split('/')
  const owner = scope.startsWith('@') ? `${scope}/${rest}` : scope
  return bundledPackages.includes(owner as BundledPackage)
}

const destructured = /const \{ ([\w, ]+) \} = await import\($/

/** Lines stay as they are, so that the source maps stay right. */
function nameBundledFiles(file: string, folder: string, imported: Imported): void {
  let code = readFileSync(file, 'utf8')
  const { staticImports, staticExports, dynamicImports } = parseSync(file, code).module
  const found: { start: number; end: number; to: string }[] = []
  const rename = (name: string, { start, end }: { start: number; end: number }) => {
    const path = relative(dirname(file), join(folder, FOLDER, `${fileOf(name)}.js`))
    found.push({ start, end, to: `'${path.startsWith('.') ? path : `./${path}`}'` })
  }
  for (const { moduleRequest, entries } of staticImports) {
    if (!isBundled(moduleRequest.value)) continue
    const names = entries.map(({ importName }) => importName.name ?? 'default')
    if (entries.some(({ importName }) => importName.kind === 'NamespaceObject')) {
      throw new Error(`${file}: import the names that it uses of ${moduleRequest.value}`)
    }
    use(imported, moduleRequest.value, names)
    rename(moduleRequest.value, moduleRequest)
  }
  for (const { moduleRequest } of dynamicImports) {
    const name = code.slice(moduleRequest.start + 1, moduleRequest.end - 1)
    if (!isBundled(name)) continue
    const names = destructured.exec(code.slice(0, moduleRequest.start))?.[1]
    if (names === undefined)
      throw new Error(`${file}: write const { ... } = await import('${name}')`)
    use(
      imported,
      name,
      names.split(',').map((each) => each.trim()),
    )
    rename(name, moduleRequest)
  }
  for (const { moduleRequest } of staticExports.flatMap(({ entries }) => entries)) {
    if (moduleRequest && isBundled(moduleRequest.value)) {
      throw new Error(`${file} exports names of ${moduleRequest.value}: import them first`)
    }
  }
  if (found.length === 0) return
  for (const { start, end, to } of found.toSorted((one, other) => other.start - one.start)) {
    code = code.slice(0, start) + to + code.slice(end)
  }
  writeFileSync(file, code)
}

function use(imported: Imported, module: string, names: readonly string[]): void {
  imported.set(module, new Set([...(imported.get(module) ?? []), ...names]))
}

/** One module for each that the code imports, which exports what it uses of it. */
const entryModules = (imported: Imported): Plugin => ({
  name: 'entry-modules',
  enforce: 'pre',
  resolveId(id, importer) {
    if (id.startsWith(ENTRY)) return id
    if (!importer?.startsWith(ENTRY)) return undefined
    return this.resolve(id, join(project, 'package.json'), { skipSelf: true })
  },
  load(id) {
    if (!id.startsWith(ENTRY)) return undefined
    const name = id.slice(ENTRY.length)
    return `export { ${[...(imported.get(name) ?? [])].join(', ')} } from '${name}'`
  },
})

/** Writes the licences of the packages whose code is in the bundle, as they require. */
const licenceTexts = (): Plugin => ({
  name: 'licence-texts',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((chunk) =>
      chunk.type === 'chunk' ? Object.keys(chunk.modules) : [],
    )
    const roots = new Set(
      modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
    )
    const source = [...roots]
      .map(licenceText)
      .toSorted()
      .join(`\n${'-'.repeat(80)}\n\n`)
    this.emitFile({ type: 'asset', fileName: 'LICENCES.txt', source })
  },
})

function licenceText(root: string): string {
  const manifest = join(root, 'package.json')
  if (!existsSync(manifest)) return ''
  const { name, version, license } = JSON.parse(readFileSync(manifest, 'utf8'))
  const files = readdirSync(root).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
  const texts = files.map((file) => readFileSync(join(root, file), 'utf8').trim())
  return [`${name} ${version} (${license})`, ...texts, ''].join('\n\n')
}
