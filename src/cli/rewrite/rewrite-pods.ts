import { blockStart, columnOf, type Edit, indented, renamed } from './edits.ts'
import type { Member } from './yaml-nodes.ts'

/* `pods` as `podTemplate`: labels and annotations move to its metadata, everything else to its spec. */

const ofMetadata: ReadonlySet<string> = new Set(['labels', 'annotations'])
const presentName = (name: string) =>
  name === 'topologySpread' ? 'topologySpreadConstraints' : name

export function rewrittenPods(source: string, pods: Member): readonly Edit[] {
  const { value } = pods
  if (value.kind !== 'map') return []
  const groups = [
    { name: 'metadata', members: value.members.filter(({ key }) => ofMetadata.has(key.text)) },
    { name: 'spec', members: value.members.filter(({ key }) => !ofMetadata.has(key.text)) },
  ].filter(({ members }) => members.length > 0)
  const rename = renamed(source, pods, 'podTemplate')
  if (!value.isBlock) {
    const quote = rename.text.startsWith('"') ? '"' : ''
    const flow = groups.map(({ name, members }) => {
      const parts = members.map(({ key, value: inner }) => {
        const between = source.slice(key.end, inner.start)
        return `${quote}${presentName(key.text)}${quote}${between}${source.slice(inner.start, inner.end)}`
      })
      return `${quote}${name}${quote}: { ${parts.join(', ')} }`
    })
    return [rename, { start: value.start, end: value.end, text: `{ ${flow.join(', ')} }` }]
  }
  const start = blockStart(source, pods)
  const column = columnOf(source, pods.key.start)
  const by = column + 4 - columnOf(source, value.start)
  const lines = groups.map(({ name, members }) => {
    const texts = members.map((member) => {
      const index = value.members.indexOf(member)
      const from = index === 0 ? start : lineAfter(source, value.members[index - 1]?.value.end ?? 0)
      const to = lineAfter(source, member.value.end)
      const head = `${source.slice(from, member.key.start)}${presentName(member.key.text)}`
      return indented(head + source.slice(member.key.end, to), by)
    })
    return `${' '.repeat(column + 2)}${name}:\n${texts.join('')}`
  })
  return [rename, { start, end: lineAfter(source, value.end), text: lines.join('') }]
}

/** The beginning of the line after this place; a block scalar ends there itself. */
function lineAfter(source: string, offset: number): number {
  if (source[offset - 1] === '\n') return offset
  const end = source.indexOf('\n', offset)
  return end < 0 ? source.length : end + 1
}
