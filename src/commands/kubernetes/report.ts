import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { writeReport } from '../../kubernetes/plugin/report/write-report.ts'
import { findFacilitator } from '../../kubernetes/plugin/targets/choose.ts'
import { isoTime } from '../../platform/core/text/iso-time.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import { ownVersion } from '../../service/process/own-version.ts'
import { type KubeInput, print, say } from './run.ts'

export async function report({ cluster, target, flags }: KubeInput): Promise<number> {
  const facilitator = await findFacilitator(cluster, target?.name)
  const now = systemClock.now()
  const { name } = facilitator.metadata
  const path = resolve(
    flags.output ?? `svc-report-${name}-${isoTime(now).slice(0, 19).replaceAll(':', '')}.tar.gz`,
  )
  const operatorNamespace = flags['operator-namespace']
  const options = { facilitator, operatorNamespace, now, version: ownVersion() }
  const { archive, paths, missing } = await writeReport(cluster, options)
  if (!(await writeNew(path, archive))) return 1
  for (const { path: part, why } of missing) say(`${part} is not in the report: ${why}`)
  const kib = Math.ceil(archive.length / 1_024)
  print(`${path}\n`)
  say(
    `The report has ${paths.length} files and ${kib} KiB. Secrets are left out or redacted; look into it before you send it.`,
  )
  return 0
}

/** @returns whether it is written. An existing file is left alone; only its owner can read a new one. */
async function writeNew(path: string, content: Buffer): Promise<boolean> {
  try {
    await using file = await open(path, 'wx', 0o600)
    await file.writeFile(content)
    return true
  } catch (error) {
    const { code } = Object(error)
    if (code === undefined) throw error
    say(
      code === 'EEXIST'
        ? `${path} exists, and is not overwritten. Name another file with --output.`
        : `${path} cannot be written (${code}). Name a file in a folder that you can write to.`,
    )
    return false
  }
}
