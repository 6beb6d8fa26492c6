/** How a test or a command comes by the programs that it needs. */
import { fetchDebianProgram, presentDebianProgram } from './debian-package.ts'
import { buildGoTool, builtGoTool, type GoTool, type Tool } from './go-build.ts'

export interface Means {
  readonly goTool: (tool: GoTool) => Promise<Tool>
  /** A program of a package of Debian, by the name of the package and the path of the file in it. */
  readonly debianProgram: (name: string, file: string, tryOut?: string) => Promise<Tool>
}

/** Compiles and fetches nothing: a test that needs what is missing is skipped. */
export const atHand: Means = { goTool: builtGoTool, debianProgram: presentDebianProgram }

/** Compiles and fetches what is missing, which takes minutes. */
export const made: Means = { goTool: buildGoTool, debianProgram: fetchDebianProgram }
