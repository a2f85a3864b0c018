import type { Urgency } from './model-queue.js';

/** Turns texts into vectors. */
export abstract class Embedder {
  abstract readonly name: string;
  /** Vectors of two models cannot be compared. */
  abstract readonly model: string;
  abstract readonly dimensions: number | null;
  abstract readonly languages: readonly string[];
  /**
   * Queries come before documents. Throws where the model is not available or has too much to do, and as soon as the signal
   * is aborted. Texts are as `modelText` returns them.
   */
  abstract embed(texts: readonly string[], urgency: Urgency, signal?: AbortSignal): Promise<Float32Array[]>;

  get isOff(): boolean {
    return this.languages.length === 0;
  }

  speaks(locale: string): boolean {
    return this.languages.some((language) => language === locale.toLowerCase().split('-')[0]);
  }
}

/** `EMBEDDER=none`: everything is searched by words. */
export class NoEmbedder extends Embedder {
  readonly name = 'none';
  readonly model = 'none';
  readonly dimensions = null;
  readonly languages = [];

  embed(): Promise<Float32Array[]> {
    return Promise.reject(new Error('There is no embedder'));
  }
}
