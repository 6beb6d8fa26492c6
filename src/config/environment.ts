import { readFileSync } from 'node:fs'

export type Variables = Readonly<Record<string, string | undefined>>

/** Where one setting's value came from. */
export interface Setting {
  /** The variable that set it, or the one to set: problems are reported under this name. */
  readonly variable: string
  readonly value: string | undefined
  /** Why the value could not even be read. */
  readonly problem?: string
}

/**
 * How settings are looked up: an empty variable is an unset one, and a secret may stand in a file
 * that the variable with `_FILE` after its name points to.
 */
export class Environment {
  readonly #variables: Variables
  readonly #readFile: (path: string) => string

  constructor(variables: Variables, readFile = (path: string) => readFileSync(path, 'utf8')) {
    this.#variables = variables
    this.#readFile = readFile
  }

  read(variable: string, { secret = false } = {}): Setting {
    const value = this.#get(variable)
    const path = secret ? this.#get(`${variable}_FILE`) : undefined
    if (path === undefined) return { variable, value }
    if (value === undefined) return this.#readSecret(`${variable}_FILE`, path)
    return { variable, value: undefined, problem: `and ${variable}_FILE are both set` }
  }

  /** The network's own variable; when that is unset and may be shared, the one for every network. */
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

  #readSecret(variable: string, path: string): Setting {
    try {
      const value = this.#readFile(path).trim()
      if (value !== '') return { variable, value }
      return { variable, value: undefined, problem: 'names an empty file' }
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
      return { variable, value: undefined, problem: `names a file that cannot be read${code}` }
    }
  }
}
