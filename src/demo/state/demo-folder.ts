import { rmSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DraftFile, replaceFile } from '../../platform/core/files/draft-file.ts'
import { shellWord } from '../../platform/core/text/shell-word.ts'
import { typed } from '../../platform/core/text/typed-command.ts'
import { DemoFailure } from '../demo-failure.ts'
import { SIGNER_FOLDER } from '../signer/demo-signer.ts'
import {
  type ClaimedDemo,
  type DemoState,
  isRunning,
  paymentsFile,
  readState,
  stateFile,
} from './demo-state.ts'

/** Entries that a demo writes to its folder, and that the next start removes. */
const ownEntries =
  /^(demo\.json.*|facilitator\.log|payments\.sqlite.*|signer|signer\.log|svc-postgres-.*)$/
/** The certificate of the embedded network's https: the same for every start. */
const keptEntries = /^localnet-(ca|tls)\.pem.*$/

/**
 * Makes the folder this demo's alone, and removes what an earlier demo left there. Throws DemoFailure
 * while an earlier demo still runs from it, and when it holds files that no demo wrote.
 */
export async function takeFolder(folder: string, claim: ClaimedDemo): Promise<void> {
  await mkdir(folder, { recursive: true })
  const entries = await readdir(folder)
  const foreign = entries.find((name) => !ownEntries.test(name) && !keptEntries.test(name))
  if (foreign !== undefined) {
    throw new DemoFailure(
      `${folder} holds ${foreign}, which no demo wrote; a demo empties its folder`,
      'Name a new or an empty folder with --dir.',
    )
  }
  await claimFolder(folder, claim)
  for (const name of entries.filter((entry) => ownEntries.test(entry) && entry !== 'demo.json')) {
    // A database whose demo was killed a moment ago may still be writing its last files.
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Creates the state file, which only one of two demos that start at the same time can. */
async function claimFolder(folder: string, claim: ClaimedDemo): Promise<void> {
  const file = stateFile(folder)
  await using draft = await DraftFile.open(file, USER_ONLY)
  await draft.write(textOf(claim))
  while (!(await draft.create())) {
    await refuseSecondDemo(folder)
    await rm(file, { force: true })
  }
}

/** The state holds seeds and the database's password. */
const USER_ONLY = 0o600

const textOf = (state: ClaimedDemo): string => `${JSON.stringify(state, null, 2)}\n`

/** Throws DemoFailure while a demo runs from the folder. */
export async function refuseSecondDemo(folder: string): Promise<void> {
  const earlier = await readState(folder)
  if (!earlier || !(await isRunning(earlier))) return
  const doing = 'paidUrl' in earlier ? `serves ${earlier.paidUrl}` : 'is starting'
  throw new DemoFailure(
    `a demo is already running (process ${earlier.pid}) and ${doing}`,
    `Use that one, stop it with Ctrl-C, or start another: ${typed().demo(`--dir ${shellWord(`${folder}-2`)}`)}`,
  )
}

/** Publishes the state of a demo that has started. Its readers see all of it or nothing. */
export const writeState = (folder: string, state: DemoState): Promise<void> =>
  replaceFile(stateFile(folder), textOf(state), USER_ONLY)

/**
 * Removes the state, the payments and the sponsor's key when the demo has stopped, and when its process exits before: after a second Ctrl-C. No command
 * looks for the demo then, and its seeds are gone.
 */
export function removeStateAtEnd(folder: string): Disposable {
  const remove = () => {
    for (const file of [stateFile(folder), paymentsFile(folder)]) rmSync(file, { force: true })
    rmSync(join(folder, SIGNER_FOLDER), { recursive: true, force: true })
  }
  process.once('exit', remove)
  return {
    [Symbol.dispose]: () => {
      process.off('exit', remove)
      remove()
    },
  }
}
