import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOG } from '../../../platform/observability/log.js';
import { Embedder } from './embedder.js';
import { unit } from './query-meaning.service.js';

/** What every embedder has a vector of. */
const PROBE = ['travel'];

/** What is to be embedded: the texts of a document, none where it says nothing. */
export interface Embeddable {
  readonly id: string;
  readonly texts: readonly string[];
}

/** The vectors of documents. One that the embedder cannot take does not keep the others from theirs. */
@Injectable()
export class DocumentVectors {
  constructor(
    private readonly embedder: Embedder,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Side by side with the documents; null: there is none to be had. Throws where the embedder takes nothing at all. */
  async of(documents: readonly Embeddable[]): Promise<(Float32Array | null)[]> {
    try {
      return await this.together(documents);
    } catch {
      const vectors: (Float32Array | null)[] = [];
      for (const document of documents) vectors.push(await this.alone(document));
      return vectors;
    }
  }

  private async together(documents: readonly Embeddable[]): Promise<(Float32Array | null)[]> {
    const texts = documents.flatMap((document) => document.texts);
    const all = texts.length === 0 ? [] : await this.embedder.embed(texts, 'document');
    let start = 0;
    return documents.map((document) => {
      const own = all.slice(start, (start += document.texts.length));
      return own.length === 0 ? null : meanOf(own.map(unit));
    });
  }

  /** Null where the embedder takes other texts and not this one. */
  private async alone(document: Embeddable): Promise<Float32Array | null> {
    try {
      const [vector = null] = await this.together([document]);
      return vector;
    } catch (error) {
      await this.embedder.embed(PROBE, 'document');
      this.log.warn({ err: error, document: document.id }, 'a document cannot be embedded; it is found by words alone');
      return null;
    }
  }
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(0), ...others] = vectors;
  return unit(first.map((value, index) => others.reduce((sum, vector) => sum + (vector[index] ?? 0), value)));
}
