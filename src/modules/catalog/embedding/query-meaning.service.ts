import { Injectable } from '@nestjs/common';
import { fold } from '../engine/analyzer.js';
import type { SliceState } from '../freshness/slice-reader.service.js';
import { Embedder } from './embedder.js';

const WITHIN_MS = 800;
const KEPT = 1_000;

/** What queries mean, as vectors of length 1; those that were asked last are remembered. */
@Injectable()
export class QueryMeaning {
  private readonly known = new Map<string, Float32Array>();

  constructor(private readonly embedder: Embedder) {}

  /** Null where there is nobody to ask, no answer in time, or no vector to compare with: then words must do. */
  async of(query: string, { locale, model }: Pick<SliceState, 'locale' | 'model'>): Promise<Float32Array | null> {
    if (model !== this.embedder.model || !this.embedder.speaks(locale)) return null;
    const name = fold(query).trim().replace(/\s+/gu, ' ');
    const known = this.known.get(name);
    if (known) {
      this.known.delete(name);
      this.known.set(name, known);
      return known;
    }
    const vector = await this.inTime(query);
    if (vector) this.known.set(name, vector);
    const [oldest] = this.known.keys();
    if (this.known.size > KEPT && oldest !== undefined) this.known.delete(oldest);
    return vector;
  }

  private async inTime(query: string): Promise<Float32Array | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), WITHIN_MS);
    });
    const asked = this.embedder.embed([query], 'query').then(
      ([vector]) => (vector ? unit(vector) : null),
      () => null,
    );
    const vector = await Promise.race([asked, late]);
    clearTimeout(timer);
    return vector;
  }
}

export function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
