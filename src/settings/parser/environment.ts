import { readFileSync } from 'node:fs'

export type Variables = Readonly<Record<string, string | undefined>>

/** Where one setting's value came from. */
export interface Setting {
  /** The variable that set it, or the one to set. Problems are reported under this name. */
  readonly variable: string
  readonly value: string | undefined
  /** Why the value could not be read. */
  readonly problem?: string
}

/**
 * Looks up settings: an empty variable counts as unset, and a secret may be in a file whose path is in
 * the variable with `_FILE` after its name.
 */
export class Environment {
  readonly #variables: Variables
  readonly #readFile: (path: string) => string

  constructor(variables: Variables, readFile = (path: string) => readFileSync(path, 'utf8')) {
    this.#variables = variables
    this.#readFile = readFile
  }

  read(variable: string, { secret = false, mayBeEmptyFile = false } = {}): Setting {
    const value = this.#get(variable)
    const path = secret ? this.#get(`${variable}_FILE`) : undefined
    if (path === undefined) return { variable, value }
    if (value === undefined) return this.#readSecret(`${variable}_FILE`, path, mayBeEmptyFile)
    return {
      variable,
      value: undefined,
      problem: `and ${variable}_FILE are both set: unset one of them`,
    }
  }

  /** Reads the network's own variable; if that is unset and may be shared, the one for every network. */
  readFor(
    prefix: string,
    variable: string,
    { secret = false, shared = false }: { secret?: boolean; shared?: boolean } = {},
  ): Setting {
    const own = this.read(`${prefix}${variable}`, { secret })
    if (!shared || own.value !== undefined || own.problem !== undefined) return own
    const common = this.read(variable, { secret })
    return common.value === undefined && common.problem === undefined ? own : common
  }

  #get(variable: string): string | undefined {
    const value = this.#variables[variable]
    return value === '' ? undefined : value
  }

  #readSecret(variable: string, path: string, mayBeEmpty: boolean): Setting {
    try {
      const value = this.#readFile(path).trim()
      if (value !== '' || mayBeEmpty) return { variable, value }
      return { variable, value: undefined, problem: 'names an empty file; write the value into it' }
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      return { variable, value: undefined, problem: unreadable[code] ?? otherwiseUnreadable(code) }
    }
  }
}

/** The messages leave out the path: someone may have put the secret itself there. */
const unreadable: Readonly<Record<string, string>> = {
  ENOENT: 'names a file that does not exist; it takes the path of a file that holds the value',
  ENOTDIR: 'names a file in a folder that is none',
  EISDIR: 'names a folder; it takes the path of a file that holds the value',
  EACCES: 'names a file that this user may not read: change its owner or permissions',
  ENAMETOOLONG: 'is too long for a path; it takes the path of a file that holds the value',
}

const otherwiseUnreadable = (code: string): string =>
  `names a file that cannot be read${code === '' ? '' : ` (${code})`}`
