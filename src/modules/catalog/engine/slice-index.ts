import { REGISTRY, isVertical } from '../fields/registry.js';
import { Analyzer } from './analyzer.js';
import { cardOf } from './card.js';
import { countsOf, statsOf } from './facets.js';
import type { Filter } from './filter.js';
import { match, type Match, mostMatched, type Question } from './match.js';
import { Meanings } from './meanings.js';
import { pageOf } from './page-of.js';
import { Postings } from './postings.js';
import type {
  IndexedDocument,
  SearchRequest,
  SearchResult,
  SliceFigures,
  SliceTraits,
  Synonym,
} from './search-index.js';
import { scalarsOf, type ShownDocument, shownDocument } from './shown-document.js';
import { SliceDocuments } from './slice-documents.js';
import { Understanding } from './understanding.js';
import { Vocabulary } from './vocabulary.js';
import { scoreWords } from './word-scores.js';

/** The index of a slice in memory. Everything in it can be thrown away: it is made of rows of the database. */
export class SliceIndex {
  generation = 0;
  private readonly registry;
  private readonly analyzer: Analyzer;
  private readonly documents: SliceDocuments;
  private readonly postings = new Postings();
  private readonly vocabulary = new Vocabulary();
  private readonly meanings = new Meanings();
  private readonly understanding: Understanding;
  private readonly names = new Map<string, Set<string>>();
  /** What each document was made of, as what it looks like changes with the clock. */
  private readonly sources = new Map<string, IndexedDocument>();
  private dueAt = Infinity;

  constructor(traits: SliceTraits) {
    if (!isVertical(traits.vertical)) throw new Error(`'${traits.vertical}' is no vertical`);
    this.registry = REGISTRY[traits.vertical];
    this.analyzer = new Analyzer(traits.locale);
    this.documents = new SliceDocuments(this.registry, traits.currency);
    this.understanding = new Understanding(this.analyzer, this.vocabulary, this.postings);
  }

  learn(synonyms: readonly Synonym[]): void {
    this.understanding.learn(synonyms);
  }

  apply(generation: number, changes: readonly IndexedDocument[], now: number): void {
    for (const change of changes) {
      this.remove(change.id);
      const shown = shownDocument(change, this.registry, now);
      if (shown) this.add(shown, change);
    }
    this.generation = Math.max(this.generation, generation);
  }

  figures(): SliceFigures {
    const { size, alive } = this.documents;
    const bytes = this.documents.bytes + this.postings.bytes + this.vocabulary.bytes + this.meanings.bytes;
    return { documents: alive, bytes, waste: size > 1_000 ? 1 - alive / size : 0 };
  }

  search(request: SearchRequest): SearchResult {
    this.refresh(request.now);
    const { place } = request;
    const isEmpty = !/[\p{L}\p{N}]/u.test(request.query);
    const plan = isEmpty ? [] : (place?.plan ?? this.understanding.plan(request.query));
    const canMean = request.vector !== null && !this.meanings.isEmpty;
    const mode = isEmpty || canMean ? request.mode : 'keyword';
    const words = isEmpty ? null : scoreWords(plan, this.postings, this.documents.size);
    const asked: Question = {
      mode,
      filters: request.filters,
      words,
      vector: canMean ? request.vector : null,
      named: this.placesNamed(request.query),
      matched: 0,
      nearness: place ? (place.nearness ?? Infinity) : null,
    };
    const isStrict = words !== null && request.sort !== 'relevance' && mode !== 'semantic';
    const matched = place?.matched ?? (isStrict ? mostMatched(asked, this.documents) : 0);
    const question = { ...asked, matched };
    const found = match(question, this.documents, this.meanings);
    const at = place?.at ?? request.now;
    const page = pageOf({ request, found, documents: this.documents, isBrowsing: isEmpty, at });
    return {
      mode,
      total: found.places.length,
      hits: page.documents.map(({ document: { id, fields }, score }) => ({
        id,
        score,
        fields: request.cards ? {} : { ...fields },
      })),
      cards: request.cards ? page.documents.map(({ document: { id, fields } }) => cardOf(id, fields)) : [],
      ...this.facets(request, question, found),
      generation: this.generation,
      next: page.rest && { plan, matched, nearness: found.nearness, at, ...page.rest },
    };
  }

  /** Of a filter on the facet's own field nothing is felt: choosing Greece still shows Italy. */
  private facets({ facets, filters }: SearchRequest, question: Question, found: Match) {
    const counted = facets.map(({ asked, field, limit, isNumber }) => {
      const others = filters.filter((filter) => !isChoiceOf(field, filter));
      const isChosen = others.length < filters.length;
      const { places } = isChosen ? match({ ...question, filters: others }, this.documents, this.meanings) : found;
      const column = this.documents.columnOf(field);
      const counts = column ? countsOf(column, places) : [];
      const stats = isNumber ? statsOf(counts) : null;
      return { asked, counts: counts.slice(0, limit), stats };
    });
    return {
      facets: counted.map(({ asked, counts }) => ({ asked, counts })),
      facetStats: counted.flatMap(({ asked, stats }) => (stats ? [{ asked, stats }] : [])),
    };
  }

  /** What looks otherwise by now, since a departure is past, is made again. */
  private refresh(now: number): void {
    if (now < this.dueAt) return;
    const due = this.documents.all().filter(({ until }) => until <= now);
    this.dueAt = Infinity;
    this.apply(
      this.generation,
      due.flatMap(({ id }) => this.sources.get(id) ?? []),
      now,
    );
    this.dueAt = this.documents.all().reduce((least, { until }) => Math.min(least, until), Infinity);
  }

  private add(document: ShownDocument, source: IndexedDocument): void {
    const place = this.documents.add(document);
    const { frequencies, length, surfaces } = this.contents(document);
    this.postings.add(place, frequencies, length);
    for (const surface of surfaces) this.vocabulary.add(surface);
    const name = this.nameKey(document);
    this.names.set(name, (this.names.get(name) ?? new Set()).add(document.id));
    if (source.vector) this.meanings.set(place, vectorOf(source.vector));
    // Only what has departures ahead looks otherwise one day.
    if (document.until < Infinity) this.sources.set(document.id, source);
    this.dueAt = Math.min(this.dueAt, document.until);
  }

  private remove(id: string): void {
    const removed = this.documents.remove(id);
    if (!removed) return;
    const { frequencies, surfaces } = this.contents(removed.document);
    this.postings.remove(removed.place, frequencies.keys());
    for (const surface of surfaces) this.vocabulary.remove(surface);
    this.sources.delete(id);
    const name = this.nameKey(removed.document);
    this.names.get(name)?.delete(id);
    if (this.names.get(name)?.size === 0) this.names.delete(name);
  }

  /** The words of a document: how much each counts, how many that say something, and how they are written. */
  private contents({ fields }: ShownDocument) {
    const frequencies = new Map<string, number>();
    const surfaces = new Set<string>();
    let length = 0;
    for (const [name, field] of this.registry) {
      if (field.weight === 0 || fields[name] === undefined) continue;
      for (const text of scalarsOf(field, fields[name])) {
        for (const { surface, stem, says } of this.analyzer.words(String(text))) {
          frequencies.set(stem, (frequencies.get(stem) ?? 0) + field.weight);
          surfaces.add(surface);
          if (says) length += field.weight;
        }
      }
    }
    return { frequencies, surfaces, length };
  }

  private nameKey({ fields }: ShownDocument): string {
    return this.phrase(String(fields['name']));
  }

  private phrase(text: string): string {
    return this.analyzer
      .words(text)
      .map(({ surface }) => surface)
      .join(' ');
  }

  private placesNamed(query: string): ReadonlySet<number> {
    const ids = this.names.get(this.phrase(query)) ?? [];
    return new Set([...ids].flatMap((id) => this.documents.placeNamed(id) ?? []));
  }
}

function isChoiceOf(field: string, filter: Filter): boolean {
  return filter.kind === 'values' && filter.field === field;
}

function vectorOf(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}
