import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { commandsHere } from '../../../src/commands/commands.ts'
import { channelPoolReasons } from '../../../src/kubernetes/crd/channel-pool/conditions.ts'
import { facilitatorReasons } from '../../../src/kubernetes/crd/facilitator/conditions.ts'
import { annotations, labels } from '../../../src/kubernetes/crd/names/marks.ts'
import { alerts } from '../../../src/kubernetes/operator/alerts/alerts.ts'

const folder = new URL('../../../docs/runbooks/', import.meta.url)
const pages = readdirSync(folder).filter((name) => name !== 'README.md')
const page = (name: string): string => readFileSync(new URL(name, folder), 'utf8')

const commandsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, body = '']) =>
    body.trim().split(/\n */),
  )

/** The commands of kubectl that the pages use. */
const verbs = [
  ...['get', 'describe', 'events', 'logs', 'auth'],
  ...['exec', 'scale', 'annotate', 'rollout', 'delete'],
]
const svc = /^kubectl -n \$NS exec deploy\/\$NAME-facilitator -- svc (\w+)/

describe('the runbooks', () => {
  test('are one page for each alert, and there are at most thirty-three', () => {
    expect(alerts.length).toBeLessThanOrEqual(33)
    expect(pages.toSorted()).toEqual(alerts.map(({ name }) => `${name}.md`).toSorted())
  })

  test.each(alerts.map(({ name, severity }) => [name, severity]))(
    '%s has the same sections as every runbook',
    (name, severity) => {
      const text = page(`${name}.md`)
      expect(text.match(/^#.*$/gm)?.slice(0, 6)).toEqual([
        `# ${name}`,
        '## What it means',
        '## Impact',
        '## What to check',
        '## What to do',
        '## When to escalate',
      ])
      expect(text.toLowerCase()).toContain(`\n${severity}. `)
    },
  )

  test.each(pages)('%s names only commands, annotations and labels that exist', (name) => {
    const text = page(name)
    expect(commandsOf(text).length).toBeGreaterThan(0)
    for (const command of commandsOf(text)) {
      expect(command).toMatch(/^kubectl /)
      expect(verbs).toContain(/^kubectl (?:-n \S+ )?(\w+)/.exec(command)?.[1])
    }
    const marks: readonly string[] = [...Object.values(annotations), ...Object.values(labels)]
    for (const [mark] of text.matchAll(/x402\.svc\.dev\/(?!docs)\w+(?:-\w+)*/g))
      expect(marks).toContain(mark)
  })

  test('name only reasons that exist', () => {
    const known = Object.keys({ ...channelPoolReasons, ...facilitatorReasons })
    const kinds = ['Degraded', 'Ready', 'Progressing', 'Retire', 'Funded']
    for (const name of pages) {
      for (const [, word = ''] of page(name).matchAll(/`([A-Z][a-z]+(?:[A-Z][a-z]+)*)`/g)) {
        expect([...known, ...kinds], `${name} speaks of ${word}`).toContain(word)
      }
    }
  })

  test('use only commands of svc that exist', () => {
    const used = pages.flatMap((name) =>
      commandsOf(page(name)).flatMap((command) => svc.exec(command)?.[1] ?? []),
    )
    expect(used.length).toBeGreaterThan(0)
    expect(Object.keys(commandsHere)).toEqual(expect.arrayContaining(used))
  })

  test('link only to pages that exist', () => {
    for (const name of [...pages, 'README.md']) {
      for (const [, path = '', anchor = ''] of page(name).matchAll(
        /\]\(([\w./]+\.md)(#[\w-]+)?\)/g,
      )) {
        const target = readFileSync(new URL(path, folder), 'utf8')
        if (anchor) expect(target, `${name} leads to ${anchor}`).toContain(`\`${anchor.slice(1)}\``)
      }
    }
  })
})
