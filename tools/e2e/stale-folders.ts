import { existsSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The name of a run's folder has its process, so that a later run knows those whose run was killed. */
export const folderPrefix = `svc-e2e-${process.pid}-`

export function removeStaleFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^svc-e2e-(\d+)-/.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}
