import { bundlePrograms } from './bundle.ts'
import { FOLDER_VARIABLE } from './program-path.ts'

/** Bundles the programs that tests start; the processes of the tests inherit the variable. */
export default async function setUpPrograms(): Promise<void> {
  process.env[FOLDER_VARIABLE] = await bundlePrograms()
}
