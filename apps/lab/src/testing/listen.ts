/** One event of a stream, with its parsed data. */
export type StreamEvent = { id: number; event: string; data: Record<string, unknown> };

/**
 * Reads the stream of a run until it ends or the caller stops.
 * @throws if the response is not an event stream, or breaks off
 */
export async function* listen(url: string, lastEventId?: number): AsyncGenerator<StreamEvent> {
  const leaving = new AbortController();
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
  const response = await fetch(url, { headers, signal: leaving.signal });
  const type = response.headers.get('content-type');
  if (!response.body || type !== 'text/event-stream') throw new Error(`${response.status}, ${type}`);
  try {
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body) {
      const blocks = `${text}${decoder.decode(chunk, { stream: true })}`.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) if (!block.startsWith(':')) yield read(block);
    }
  } finally {
    leaving.abort();
  }
}

function read(block: string): StreamEvent {
  const [, id, event, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? [];
  if (!id || !event || !data) throw new Error(`no event: ${block}`);
  return { id: Number(id), event, data: JSON.parse(data) };
}
