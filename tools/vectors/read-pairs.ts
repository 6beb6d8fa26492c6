import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a person or an agent asks, and the description of a paid tool that answers it. */
export type QuestionPair = Readonly<{ question: string; description: string; domain: string }>

/**
 * The pairs written for this project, files in the order of their names. A line `# text` starts a domain, `= text` a
 * description, and each other line is a question for the description above it.
 */
export function readPairs(folder: string): QuestionPair[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .flatMap((name) => pairsOf(readFileSync(join(folder, name), 'utf8')))
}

function pairsOf(text: string): QuestionPair[] {
  const pairs: QuestionPair[] = []
  let domain = ''
  let description = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('# ')) domain = line.slice(2)
    else if (line.startsWith('= ')) description = line.slice(2)
    else if (line !== '') pairs.push({ question: line, description, domain })
  }
  return pairs
}
