import { codeHelp } from '../../src/catalog/code-help.ts'

const statusWords = { success: 'listed', processing: 'on its way', rejected: 'rejected' } as const

/** The section of docs/errors.md on `EXTENSION-RESPONSES`. */
export const catalogCodes = (): string =>
  [
    '## The catalog',
    [
      'What became of a declaration: `code` in `EXTENSION-RESPONSES`, and of the last outcome of a listing. None of them changes the verdict',
      'of a payment. [The catalog](catalog.md) explains the words.',
    ].join('\n'),
    [
      '| Code | Outcome | What happened | What a seller does |\n| - | - | - | - |',
      ...Object.entries(codeHelp).map(
        ([code, { status, meaning, remedy }]) =>
          `| \`${code}\` | ${statusWords[status]} | ${meaning} | ${remedy} |`,
      ),
    ].join('\n'),
  ].join('\n\n')
