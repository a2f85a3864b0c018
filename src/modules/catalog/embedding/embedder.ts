/** Turns texts into vectors. */
export abstract class Embedder {
  abstract readonly name: string;
  /** Vectors of two models cannot be compared. */
  abstract readonly model: string;
  abstract readonly dimensions: number | null;
  abstract readonly languages: readonly string[];
  /** Queries come before documents. Throws where it cannot. */
  abstract embed(texts: readonly string[], urgency: 'query' | 'document'): Promise<Float32Array[]>;

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
