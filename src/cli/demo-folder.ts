import { join } from 'node:path'

/** Where a demo keeps its files unless told otherwise, so that `svc pay` finds it. */
export const demoFolder = (): string => join(process.cwd(), '.svc', 'demo')
