/** What `make e2e` tells the processes of a world. */
export interface NodeWorld {
  /** Data and logs; removed after the run. */
  readonly folder: string
  /** The path of a cgroup below the root of each controller, with one for each node in it. */
  readonly cgroup: string
  /** The folder of the CNI plugins. */
  readonly cniPlugins: string
  /** The world stays after the tests, until Ctrl-C. */
  readonly keep: boolean
  /** Archives of the images that the nodes get. */
  readonly images: readonly string[]
}

/** Its value is a NodeWorld as JSON. */
export const WORLD_VARIABLE = 'SVC_E2E_WORLD'

/** @throws Error outside of a world */
export function currentWorld(): NodeWorld {
  const text = process.env[WORLD_VARIABLE]
  if (text === undefined)
    throw new Error('These tests run on nodes of their own. Start them with: make e2e')
  return JSON.parse(text)
}
