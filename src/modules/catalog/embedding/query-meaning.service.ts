import { Injectable } from '@nestjs/common';
import { fold } from '../../../search-engine/index.js';
import type { SliceState } from '../freshness/slice-reader.service.js';
import { Embedder } from './embedder.js';
import { modelText } from './embedding-text.js';

const WITHIN_MS = 800;
const KEPT = 1_000;

/** What queries mean, as vectors of length 1; those that were asked last are remembered. */
@Injectable()
export class QueryMeaning {
  private readonly known = new Map<string, Float32Array>();

  constructor(private readonly embedder: Embedder) {}

  /**
   * Null where there is no model to ask, no answer in time, or no vector to compare with: then the search is by keyword. The
   * model spends no time on a query whose client has disconnected (`gone`) or whose time limit has passed.
   */
  async of(
    query: string,
    { locale, model }: Pick<SliceState, 'locale' | 'model'>,
    gone: AbortSignal,
  ): Promise<Float32Array | null> {
    if (model !== this.embedder.model || !this.embedder.speaks(locale)) return null;
    const text = modelText(query);
    const name = fold(text).trim().replace(/\s+/gu, ' ');
    const known = this.known.get(name);
    if (known) {
      this.known.delete(name);
      this.known.set(name, known);
      return known;
    }
    const vector = await this.inTime(text, gone);
    if (vector) this.known.set(name, vector);
    const [oldest] = this.known.keys();
    if (this.known.size > KEPT && oldest !== undefined) this.known.delete(oldest);
    return vector;
  }

  private async inTime(text: string, gone: AbortSignal): Promise<Float32Array | null> {
    const signal = AbortSignal.any([gone, AbortSignal.timeout(WITHIN_MS)]);
    try {
      const [vector] = await this.embedder.embed([text], 'query', signal);
      return vector ? unit(vector) : null;
    } catch {
      return null;
    }
  }
}

export function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
