import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';

/** An external embedding service. Its vectors measure ice, sea and text length. It rejects empty texts and poison. */
export class EmbeddingService {
  isBroken = false;
  /** The number of received texts of documents and of queries. */
  documents = 0;
  queries = 0;
  /** The header of each request. */
  readonly traceparents: (string | undefined)[] = [];
  private waiting: (() => void)[] | null = null;
  private readonly server = createServer((request, response) => {
    const { traceparent } = request.headers;
    this.traceparents.push(typeof traceparent === 'string' ? traceparent : undefined);
    void text(request).then((body) => this.answer(body, response));
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1/embeddings`;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  /** Delays the responses to documents, but not to queries, until `resume`. */
  pause(): void {
    this.waiting = [];
  }

  get paused(): number {
    return this.waiting?.length ?? 0;
  }

  resume(): void {
    const waiting = this.waiting ?? [];
    this.waiting = null;
    for (const respond of waiting) respond();
  }

  private async answer(body: string, response: ServerResponse): Promise<void> {
    const { input } = JSON.parse(body) as { input: string[] };
    // Both a query and a single document are one text.
    if (input.length === 1) this.queries += 1;
    else this.documents += input.length;
    const { waiting } = this;
    if (input.length > 1 && waiting) await new Promise<void>((resolve) => waiting.push(resolve));
    const isPoison = input.some((of) => of.trim() === '' || /poison/i.test(of));
    response.statusCode = this.isBroken || isPoison ? 500 : 200;
    const vector = (of: string) => [
      /ice|snow/i.test(of) ? 1 : 0,
      /sea|beach/i.test(of) ? 1 : 0,
      (of.length % 9) / 20,
      0.1,
    ];
    response.end(JSON.stringify({ data: input.map((of) => ({ embedding: vector(of) })) }));
  }
}
