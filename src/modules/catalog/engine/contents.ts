import type { Fields } from '../fields/registry.js';
import type { Analyzer } from './analyzer.js';
import { scalarsOf, type ShownDocument } from './shown-document.js';

/** The words of a document. */
export interface Contents {
  /** How much each stem counts. */
  readonly frequencies: ReadonlyMap<string, number>;
  /** Those that say something. */
  readonly telling: ReadonlySet<string>;
  /** How they are written. */
  readonly surfaces: ReadonlySet<string>;
  /** How much all words count that say something. */
  readonly length: number;
}

export function contentsOf({ fields }: ShownDocument, registry: Fields, analyzer: Analyzer): Contents {
  const frequencies = new Map<string, number>();
  const telling = new Set<string>();
  const surfaces = new Set<string>();
  let length = 0;
  for (const [name, field] of registry) {
    if (field.weight === 0 || fields[name] === undefined) continue;
    for (const text of scalarsOf(field, fields[name])) {
      for (const { surface, stem, says } of analyzer.words(String(text))) {
        frequencies.set(stem, (frequencies.get(stem) ?? 0) + field.weight);
        surfaces.add(surface);
        if (!says) continue;
        telling.add(stem);
        length += field.weight;
      }
    }
  }
  return { frequencies, telling, surfaces, length };
}
