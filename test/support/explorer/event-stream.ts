export interface ReceivedEvent {
  readonly event: string
  readonly id: string
  /** Parsed. */
  readonly data: unknown
}

export interface EventStream {
  readonly status: number
  readonly events: readonly ReceivedEvent[]
  /** Resolves when the server ends the stream or `close` has. */
  readonly ended: Promise<void>
  /** Cuts the connection. An event that was only received in part is lost, as in a browser. */
  close(): Promise<void>
}

/** Connects as a browser's `EventSource` does; `lastEventId` is what it sends after a lost connection. */
export async function openEventStream(url: string, lastEventId?: string): Promise<EventStream> {
  const cut = new AbortController()
  const answer = await fetch(url, {
    signal: cut.signal,
    headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
  })
  const events: ReceivedEvent[] = []
  const ended = receive(answer, events).catch((error: unknown) => {
    if (!cut.signal.aborted) throw error
  })
  return {
    status: answer.status,
    events,
    ended,
    close: async () => {
      cut.abort()
      await ended
    },
  }
}

async function receive(answer: Response, events: ReceivedEvent[]): Promise<void> {
  if (!answer.ok || !answer.body) return
  let text = ''
  for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
    text += part
    const whole = text.split('\n\n')
    text = whole.pop() ?? ''
    for (const block of whole) {
      const lines = new Map(
        block.split('\n').map((line) => {
          const [name = '', ...rest] = line.split(': ')
          return [name, rest.join(': ')] as const
        }),
      )
      const event = lines.get('event')
      if (event === undefined) continue
      events.push({ event, id: lines.get('id') ?? '', data: JSON.parse(lines.get('data') ?? '""') })
    }
  }
}

/** The keys of the rows of such events, in the order in which a page has them: newest first. */
export const rowKeysOf = (events: readonly ReceivedEvent[]): readonly string[] =>
  events
    .toReversed()
    .flatMap(({ event, data }) =>
      event === 'payments'
        ? [...String(data).matchAll(/data-key="[^/]+\/([0-9a-f]{64})"/g)].map(
            ([, key]) => key ?? '',
          )
        : [],
    )
