/** The programs of a release that are Go modules: built from their sources, whose checksums go.sum has. */
import { join } from 'node:path'
import {
  buildGoTool,
  builtGoTool,
  type GoTool,
  type Tool,
} from '../../test/cluster/support/go-build.ts'

const folder = (name: string): string => join(import.meta.dirname, 'go', name)

/** Pushes images to a registry, and serves a registry in memory for tests. */
export const crane = (): Promise<Tool> =>
  buildGoTool({
    name: 'crane',
    folder: folder('crane'),
    target: 'github.com/google/go-containerregistry/cmd/crane',
    ldflags: '-s -w',
    duration: '20 seconds',
  })

const cosignTool: GoTool = {
  name: 'cosign',
  folder: folder('cosign'),
  target: 'github.com/sigstore/cosign/v3/cmd/cosign',
  ldflags: '-s -w',
  duration: '3 minutes',
}

/** Signs what a release pushed, and verifies it. */
export const cosign = (): Promise<Tool> => buildGoTool(cosignTool)

/** For tests: the same, when it is built already. */
export const builtCosign = (): Promise<Tool> => builtGoTool(cosignTool)

/** Finds mistakes in the workflows of GitHub. */
export const actionlint = (): Promise<Tool> =>
  buildGoTool({
    name: 'actionlint',
    folder: folder('actionlint'),
    target: 'github.com/rhysd/actionlint/cmd/actionlint',
    ldflags: '-s -w',
    duration: '10 seconds',
  })
