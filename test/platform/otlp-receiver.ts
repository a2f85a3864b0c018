import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A received span, with its attributes and its resource's attributes as plain objects. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  /** 2: server, 3: client, 5: consumer. */
  kind: number;
  failed: boolean;
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
}

interface Value {
  stringValue?: string;
  intValue?: number | string;
  boolValue?: boolean;
  doubleValue?: number;
}
type Attributes = { key: string; value: Value }[];

interface Traces {
  resourceSpans: {
    resource: { attributes: Attributes };
    scopeSpans: {
      spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: Attributes; status: { code?: number } })[];
    }[];
  }[];
}

/** A collector for OTLP in JSON over HTTP, which stores everything it receives. */
export class OtlpReceiver {
  /** Every body, as it was sent. */
  readonly bodies: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  private readonly server = createServer((request, response) => {
    void text(request).then((body) => {
      this.bodies.push({ path: request.url ?? '', headers: request.headers, body });
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  get spans(): ReceivedSpan[] {
    return this.bodies
      .filter(({ path }) => path === '/v1/traces')
      .flatMap(({ body }) => (JSON.parse(body) as Traces).resourceSpans)
      .flatMap(({ resource, scopeSpans }) =>
        scopeSpans
          .flatMap(({ spans }) => spans)
          .map((span) => ({
            ...span,
            failed: span.status.code === 2,
            attributes: plain(span.attributes),
            resource: plain(resource.attributes),
          })),
      );
  }
}

function plain(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue),
    ]),
  );
}
