import { existsSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shellWord } from './shell-word.ts'

/** Where this code is installed, and from where a person types. */
export interface Installation {
  /** The folder of the clone or of the installed package. */
  readonly root: string
  /** Whether it is the package: compiled, with nothing that make knows. */
  readonly isPackage: boolean
  readonly cwd: string
}

/** Commands of this installation, as a person types them in the working directory. */
export interface TypedCommands {
  /** Followed by a command of svc and its arguments. */
  readonly svc: string
  /** Starts a demo. @param args its flags */
  demo(args?: string): string
}

export function typedCommands({ root, isPackage, cwd }: Installation): TypedCommands {
  if (isPackage) {
    const svc = shellWord(pathFrom(cwd, binOf(root)))
    return { svc, demo: (args) => [svc, 'demo', args].filter(Boolean).join(' ') }
  }
  const isHere = relative(root, cwd) === ''
  const prefix = isHere ? '' : ` --prefix ${shellWord(resolve(root))}`
  const make = isHere ? 'make run' : `make -C ${shellWord(resolve(root))} run`
  return {
    svc: `npm${prefix} run --silent svc --`,
    demo: (args) => (args === undefined ? make : `${make} ARGS=${shellWord(args)}`),
  }
}

/** npm links it as a command of the project; that of `npm install --prefix`, or unpacked by hand, is the file itself. */
function binOf(root: string): string {
  const link = join(root, '..', '.bin', 'svc')
  return existsSync(link) ? link : join(root, 'bin', 'svc')
}

/** A relative path only into the folder, where it is short; a shell runs one only with a folder in it. */
function pathFrom(cwd: string, file: string): string {
  const path = relative(cwd, file)
  return path.startsWith(`..${sep}`) ? file : `.${sep}${path}`
}

const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** Whether the installation that runs is the package. */
export const isPackage: boolean = import.meta.url.endsWith('.js')

/** Now, as the folder may change. */
export const typed = (): TypedCommands => typedCommands({ root, isPackage, cwd: process.cwd() })
