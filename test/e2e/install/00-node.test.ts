import { expect, inject, test } from 'vitest'
import { connectNodes } from '../support/node.ts'

test('both nodes are ready and take pods', async () => {
  const cluster = await connectNodes(inject('nodes'))
  const nodes = await cluster.kubectl(['get', 'nodes', '-o', 'name'])
  expect(nodes.trim().split('\n')).toEqual(['node/n1', 'node/n2'])
})
