import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DemoState } from '../../../../src/demo/state/demo-state.ts'
import { DemoProcess, ownPlace } from '../../demo/demo-process.ts'

/** A running demo, with its ledger, database, facilitator, catalog and explorer. */
export interface DemoWorld extends AsyncDisposable {
  /** For `--dir`. */
  readonly folder: string
  readonly state: DemoState
  /** Of the two payments that the demo made. */
  readonly transactions: readonly string[]
  readonly program: DemoProcess
}

export async function openDemo(): Promise<DemoWorld> {
  await using opened = new AsyncDisposableStack()
  const place = opened.use(await ownPlace())
  const folder = join(place.folder, 'demo')
  const demo = opened.use(new DemoProcess('demo', ...place.flags))
  await demo.printed(/Ctrl-C stops everything/)
  const resources = opened.move()
  return {
    folder,
    program: demo,
    state: JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8')),
    transactions: [...demo.output.matchAll(/transaction +([0-9a-f]{64})/g)].map(
      ([, id = '']) => id,
    ),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}
