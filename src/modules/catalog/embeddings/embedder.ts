import type { Urgency } from './model-queue.js';

/** Computes vectors of texts. */
export abstract class Embedder {
  abstract readonly name: string;
  /** Vectors of different models cannot be compared. */
  abstract readonly model: string;
  abstract readonly dimensions: number | null;
  abstract readonly languages: readonly string[];
  /** The number of documents that are embedded together, and whose vectors are saved together. */
  readonly groupSize: number = 16;

  /**
   * Computes the vectors of texts that `modelText` returned. Queries take precedence over documents. Throws if the model is
   * unavailable or overloaded, and as soon as the signal is aborted.
   */
  abstract embed(texts: readonly string[], urgency: Urgency, signal?: AbortSignal): Promise<Float32Array[]>;

  async stop(): Promise<void> {
    // Only an embedder with a thread needs this method.
  }

  get isOff(): boolean {
    return this.languages.length === 0;
  }

  supports(locale: string): boolean {
    return this.languages.some((language) => language === locale.toLowerCase().split('-')[0]);
  }
}

/** `EMBEDDER=none`: searches use keywords only. */
export class NoEmbedder extends Embedder {
  readonly name = 'none';
  readonly model = 'none';
  readonly dimensions = null;
  readonly languages = [];

  embed(): Promise<Float32Array[]> {
    return Promise.reject(new Error('There is no embedder'));
  }
}

/** The vector with the same direction and the length 1. */
export function unitVector(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
