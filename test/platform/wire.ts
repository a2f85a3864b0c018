import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export interface WireAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: unknown;
}

/** Sends these bytes and reads until the service closes the connection. There may be several responses. */
export async function wire(url: string, bytes: string): Promise<WireAnswer[]> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(bytes, 'latin1');
  const received = await text(socket);
  return received
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter(Boolean)
    .map(parse);
}

/** The only response to these bytes. Throws for another number of responses. */
export async function onlyAnswer(url: string, bytes: string): Promise<WireAnswer> {
  const [answer, ...more] = await wire(url, bytes);
  if (!answer || more.length > 0) throw new Error(`${more.length + (answer ? 1 : 0)} answers came`);
  return answer;
}

function parse(message: string): WireAnswer {
  const end = message.indexOf('\r\n\r\n');
  const [start = '', ...lines] = message.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  const body = message.slice(end + 4);
  return { status: Number(start.split(' ')[1]), headers, body: body === '' ? null : (JSON.parse(body) as unknown) };
}
