import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Instrumented, instrument, type Mutant } from './mutants.ts'

/** The modules whose rules are broken one by one: the path of a payment, and every statement. */
export const mutatedModules = [
  'payments/protocol',
  'payments/checks',
  'payments/causes',
  'payments/schemes',
  'payments/engine',
  'payments/health',
  'diagnosis/problems',
  'payments/usage',
  'payments/upto-keeper',
  'payments/api',
  'payments/store',
  'catalog/store',
  'explorer/store',
  'platform/database',
] as const

const root = join(import.meta.dirname, '../..')

export interface MutatedSources {
  readonly mutants: readonly Mutant[]
  /** Source with all of its mutants, by absolute path. */
  readonly codeByPath: ReadonlyMap<string, string>
}

/** Instruments every source of the modules. Migrations are left out: a test has run them long before. */
export function instrumentSources(): MutatedSources {
  const mutants: Mutant[] = []
  const codeByPath = new Map<string, string>()
  for (const file of mutatedModules.flatMap(filesOf)) {
    const path = join(root, file)
    const done: Instrumented = instrument(file, readFileSync(path, 'utf8'), mutants.length + 1)
    mutants.push(...done.mutants)
    if (done.mutants.length > 0) codeByPath.set(path, done.code)
  }
  return { mutants, codeByPath }
}

const filesOf = (module: string): readonly string[] =>
  globSync(`src/${module}/**/*.ts`, { cwd: root })
    .filter((file) => !file.includes('/migrations/'))
    .sort()
