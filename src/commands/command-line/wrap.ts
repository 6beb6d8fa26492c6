/** Breaks a text into lines of at most `width` columns, between words; a longer word has a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`
    if (lines.length > 0 && longer.length <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** The same for paragraphs. A line with two spaces in a row is part of a table, and stays as it is. */
export function wrapParagraphs(lines: readonly string[], width: number): string[] {
  const isProse = (line: string | undefined) =>
    line !== undefined && /\S/.test(line) && !/ {2}/.test(line)
  const paragraphs: string[] = []
  lines.forEach((line, index) => {
    const continues = isProse(line) && isProse(lines[index - 1])
    if (continues) paragraphs.push(`${paragraphs.pop()} ${line}`)
    else paragraphs.push(line)
  })
  return paragraphs.flatMap((line) => (isProse(line) ? wrap(line, width) : [line]))
}
