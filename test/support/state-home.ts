import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let home: string | undefined

/** For XDG_STATE_HOME: a new folder in place of that of whoever runs the tests. It is removed when the process ends. */
export function stateHome(): string {
  if (home === undefined) {
    const made = mkdtempSync(join(tmpdir(), 'svc-state-'))
    process.once('exit', () => rmSync(made, { recursive: true, force: true }))
    home = made
  }
  return mkdtempSync(join(home, 'of-one-'))
}
