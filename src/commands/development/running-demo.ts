import type { DemoState } from '../../demo/state/demo-state.ts'
import { demoFolders } from './demo-folder.ts'

/**
 * The demo of this user that runs from this clone now, or from `folder`; its `environment` holds the settings of its
 * `svc serve`. Of several, the one in the default folder. undefined when none runs.
 */
export async function readRunningDemo(folder?: string): Promise<DemoState | undefined> {
  const folders = folder === undefined ? demoFolders() : [folder]
  // In the image there is no demo, and so nothing to import.
  if (folders.length === 0) return undefined
  const { runningDemo } = await import('../../demo/state/demo-state.ts')
  const running = await Promise.all(folders.map((each) => runningDemo(each)))
  return running.find((state) => state !== undefined)
}
