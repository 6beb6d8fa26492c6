import { stat } from 'node:fs/promises'
import { writeImage } from '../../../tools/image/oci.ts'
import { PAUSE_IMAGE } from './node-config.ts'

/** The image of the first container of every pod. Returns the path of its archive. */
export async function writePauseImage(folder: string, binary: string): Promise<string> {
  const archive = `${folder}/pause.tar`
  const { size } = await stat(binary)
  const file = {
    type: 'file',
    path: 'pause',
    mode: 0o755,
    content: { file: binary, size },
  } as const
  await writeImage(archive, {
    name: PAUSE_IMAGE,
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    layers: [{ comment: 'pause', entries: [file] }],
    config: { entrypoint: ['/pause'], user: '65535:65535' },
  })
  return archive
}
