import { flag } from './flags.ts'

/** Whether a command prints for a person or for a program. Scripts get JSON unless they ask for text. */
export const outputFlags = {
  json: flag('JSON, also on a terminal'),
  human: flag('text for a person, also where standard output is no terminal'),
}

interface OutputFlags {
  readonly json?: boolean
  readonly human?: boolean
}

/** `--json` wins; without a flag, a terminal means a person. */
export const isForPerson = ({ json = false, human = false }: OutputFlags = {}): boolean =>
  !json && (human || process.stdout.isTTY === true)
