import { ownVersion } from '../../service/process/own-version.ts'
import { command } from '../command-line/command.ts'

export const version = command({
  name: 'version',
  summary: 'prints the versions of svc and of Node',
  usage: ['svc version', 'svc --version', 'svc -v'],
  env: [['SVC_VERSION', 'version of the image, which is printed as well']],
  exits: { 0: 'done' },
  example: 'svc version',
  run: async () => {
    process.stdout.write(`${versionLine(process.env['SVC_VERSION'])}\n`)
    return 0
  },
})

function versionLine(image: string | undefined): string {
  const own = ownVersion()
  const ofImage = image ? ` (SVC_VERSION ${image})` : ''
  return `svc ${own}${ofImage}, Node ${process.versions.node}`
}
