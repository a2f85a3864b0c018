import { REGISTRY, isVertical } from '../fields/registry.js';
import { Analyzer } from './analyzer.js';
import { cardOf } from './card.js';
import { type Contents, contentsOf } from './contents.js';
import { countsOf, statsOf } from './facets.js';
import type { Filter } from './filter.js';
import { type Members, membersOf, mostMatched, type Question, scoresOf, type Searched } from './match.js';
import { Meanings } from './meanings.js';
import { pageOf } from './page-of.js';
import { Postings } from './postings.js';
import type {
  IndexedDocument,
  Plan,
  SearchRequest,
  SearchResult,
  SliceFigures,
  SliceTraits,
  Synonym,
} from './search-index.js';
import { type ShownDocument, shownDocument } from './shown-document.js';
import { SliceDocuments } from './slice-documents.js';
import { type Tuning, TUNING } from './tuning.js';
import { Understanding } from './understanding.js';
import { Vocabulary } from './vocabulary.js';
import { scoreWords } from './word-scores.js';

const NONE = new Float64Array(0);

/** The index of a slice in memory. Everything in it can be thrown away: it is made of rows of the database. */
export class SliceIndex {
  generation = 0;
  private readonly registry;
  private readonly analyzer: Analyzer;
  private readonly documents: SliceDocuments;
  private readonly postings: Postings;
  private readonly vocabulary = new Vocabulary();
  private readonly meanings = new Meanings();
  private readonly understanding: Understanding;
  private readonly searched: Searched;
  private readonly names = new Map<string, Set<string>>();
  /** What each document was made of, as what it looks like changes with the clock. */
  private readonly sources = new Map<string, IndexedDocument>();
  private dueAt = Infinity;

  constructor(
    traits: SliceTraits,
    private readonly tuning: Tuning = TUNING,
  ) {
    if (!isVertical(traits.vertical)) throw new Error(`'${traits.vertical}' is no vertical`);
    this.registry = REGISTRY[traits.vertical];
    this.analyzer = new Analyzer(traits.locale);
    this.documents = new SliceDocuments(this.registry, traits.currency);
    this.postings = new Postings(tuning);
    this.understanding = new Understanding(this.analyzer, this.vocabulary, this.postings);
    const { documents, meanings, postings } = this;
    const contentsAt = (place: number) => {
      const document = documents.at(place);
      if (!document) throw new Error(`There is no document at ${place}`);
      return this.contents(document);
    };
    this.searched = { documents, meanings, postings, tuning, contentsOf: contentsAt };
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
    const question = this.questionOf(request);
    const members = membersOf(question, this.searched);
    const scores = question.isBrowsing ? NONE : scoresOf(members, question, this.searched);
    const at = place?.at ?? request.now;
    const { isBrowsing, plan, matched } = question;
    const page = pageOf({ request, places: members.places, scores, documents: this.documents, isBrowsing, at });
    return {
      mode: question.mode,
      total: members.places.length,
      hits: page.documents.map(({ document: { id, fields }, score }) => ({
        id,
        score,
        fields: request.cards ? {} : { ...fields },
      })),
      cards: request.cards ? page.documents.map(({ document: { id, fields } }) => cardOf(id, fields)) : [],
      ...this.facets(request, question, members),
      generation: this.generation,
      next: page.rest && { plan, matched, nearness: members.nearness, at, ...page.rest },
    };
  }

  /** What is asked, in the words and vectors of this slice. */
  private questionOf({ query, vector, place, sort, filters, ...asked }: SearchRequest): Question & { plan: Plan } {
    const isBrowsing = !/[\p{L}\p{N}]/u.test(query);
    const canMean = vector !== null && !this.meanings.isEmpty;
    const mode = isBrowsing || canMean ? asked.mode : 'keyword';
    const plan = isBrowsing ? [] : (place?.plan ?? this.understanding.plan(query));
    const isByWords = !isBrowsing && mode !== 'semantic';
    const size = this.documents.size;
    const question: Question = {
      mode,
      filters,
      isByField: sort !== 'relevance',
      isBrowsing,
      wordCount: plan.length,
      words: isByWords ? scoreWords(plan, this.postings, { size, tuning: this.tuning }) : null,
      meant: canMean && mode !== 'keyword' && !isBrowsing ? this.meanings.compare(vector) : null,
      named: this.placesNamed(query),
      matched: place?.matched ?? 0,
      nearness: place ? (place.nearness ?? Infinity) : null,
    };
    if (place || !isByWords || !question.isByField) return { ...question, plan };
    return { ...question, plan, matched: mostMatched(question, this.documents) };
  }

  /** Of a filter on the facet's own field nothing is felt: choosing Greece still shows Italy. */
  private facets({ facets, filters }: SearchRequest, question: Question, found: Members) {
    const counted = facets.map(({ asked, field, limit, isNumber }) => {
      const others = filters.filter((filter) => !isChoiceOf(field, filter));
      const isChosen = others.length < filters.length;
      const { places } = isChosen ? membersOf({ ...question, filters: others }, this.searched) : found;
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

  private contents(document: ShownDocument): Contents {
    return contentsOf(document, this.registry, this.analyzer);
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
