import type { Env } from '../../../platform/config/env.js';
import { findContext, type Span } from '../../../platform/context/request-context.js';
import type { OutgoingCalls } from '../../../platform/observability/telemetry.js';
import { CircuitBreaker } from './circuit-breaker.js';
import { Embedder } from './embedder.js';
import { type Call, ModelQueue, type Urgency } from './model-queue.js';

const QUERY_MS = 800;
const DOCUMENT_MS = 30_000;
const CONCURRENCY = 8;

interface Asked {
  readonly texts: readonly string[];
  /** The span of the work that needs the vectors; the queue may call the model while another request is running. */
  readonly parent: Span | null;
}

/** A service with OpenAI's API for embeddings. After three failures in a row it is not called for ten seconds. */
export class HttpEmbedder extends Embedder {
  readonly name = 'http';
  readonly model: string;
  dimensions: number | null = null;
  readonly languages: readonly string[];
  private readonly queue = new ModelQueue<Asked, Float32Array[]>({
    run: async (asked, call) => Promise.all(asked.map((one) => this.call(one, call))),
    concurrency: CONCURRENCY,
    isBatch: () => false,
    breaker: new CircuitBreaker({ failures: 3, restMs: 10_000 }),
  });

  constructor(
    private readonly env: Pick<Env, 'embeddingUrl' | 'embeddingApiKey' | 'embeddingModel' | 'embeddingLanguages'>,
    private readonly calls: Pick<OutgoingCalls, 'run'>,
  ) {
    super();
    this.model = env.embeddingModel ?? 'default';
    this.languages = env.embeddingLanguages;
  }

  async embed(texts: readonly string[], urgency: Urgency, signal?: AbortSignal): Promise<Float32Array[]> {
    const parent = findContext()?.span ?? null;
    const vectors = await this.queue.add({ texts, parent }, { urgency, signal });
    this.dimensions = vectors[0]?.length ?? null;
    return vectors;
  }

  private async call({ texts, parent }: Asked, call: Call): Promise<Float32Array[]> {
    const { embeddingUrl: url } = this.env;
    return this.calls.run({ name: `embed ${call.urgency}`, url, parent }, (headers) =>
      this.ask(texts, { ...call, headers }),
    );
  }

  private async ask(
    texts: readonly string[],
    { urgency, signal, headers }: Call & { headers: Readonly<Record<string, string>> },
  ): Promise<Float32Array[]> {
    const { embeddingUrl, embeddingApiKey } = this.env;
    if (embeddingUrl === null) throw new Error('EMBEDDING_URL is missing');
    const deadline = AbortSignal.timeout(urgency === 'query' ? QUERY_MS : DOCUMENT_MS);
    const response = await fetch(embeddingUrl, {
      method: 'POST',
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      headers: {
        ...headers,
        'content-type': 'application/json',
        ...(embeddingApiKey === null ? {} : { authorization: `Bearer ${embeddingApiKey}` }),
      },
      body: JSON.stringify({ model: this.model, input: texts }),
    });
    if (!response.ok) throw new Error(`The embedding service responded with status ${response.status}`);
    const vectors = vectorsIn(await response.json());
    if (vectors.length !== texts.length) throw new Error('The embedding service returned the wrong number of vectors');
    return vectors;
  }
}

/** `{data: [{embedding: [...]}]}` */
function vectorsIn(body: unknown): Float32Array[] {
  const data = isObject(body) ? body['data'] : null;
  if (!Array.isArray(data)) throw new Error('The embedding service returned no data');
  return data.map((item: unknown) => {
    const embedding = isObject(item) ? item['embedding'] : null;
    const fits = Array.isArray(embedding) && embedding.length > 0 && embedding.every((one) => Number.isFinite(one));
    if (!fits) throw new Error('The embedding service returned no vector');
    return Float32Array.from(embedding.map(Number));
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
