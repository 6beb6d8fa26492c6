/** The programs of a release that are Go modules: built from their sources, whose checksums go.sum has. */
import { join } from 'node:path'
import type { Tool } from '../../test/cluster/support/go-build.ts'
import { atHand, type Means } from '../../test/cluster/support/means.ts'

const folder = (name: string): string => join(import.meta.dirname, 'go', name)

/** Pushes images to a registry, and serves a registry in memory for tests. */
export const crane = ({ goTool }: Means = atHand): Promise<Tool> =>
  goTool({
    name: 'crane',
    folder: folder('crane'),
    target: 'github.com/google/go-containerregistry/cmd/crane',
    ldflags: '-s -w',
    duration: '20 seconds',
  })

/** Signs what a release pushed, and verifies it. `make test-cluster` does not build it. */
export const cosign = ({ goTool }: Means = atHand): Promise<Tool> =>
  goTool({
    name: 'cosign',
    folder: folder('cosign'),
    target: 'github.com/sigstore/cosign/v3/cmd/cosign',
    ldflags: '-s -w',
    duration: '3 minutes',
    builder: 'make release-tools',
  })

/** Finds mistakes in the workflows of GitHub. */
export const actionlint = ({ goTool }: Means = atHand): Promise<Tool> =>
  goTool({
    name: 'actionlint',
    folder: folder('actionlint'),
    target: 'github.com/rhysd/actionlint/cmd/actionlint',
    ldflags: '-s -w',
    duration: '10 seconds',
  })
