import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import { EmbeddingJobs } from '../embedding/embedding-jobs.service.js';
import { contentHash } from '../embedding/embedding-text.js';
import { type OpenSlice, type SliceKey, sliceName, Slices } from '../slices/slices.service.js';
import { EXISTING, type NewDocument, REMOVE, UPSERT } from './stored-document.js';

/** A document as it was before a change. */
export interface EarlierDocument {
  sliceId: string;
  id: string;
  version: number;
  fields: Record<string, unknown>;
}

/** Writes documents, inside a transaction: their slices first, whose rows are held until the commit. */
@Injectable()
export class DocumentWriter {
  constructor(
    private readonly database: Database,
    private readonly slices: Slices,
    private readonly embeddings: EmbeddingJobs,
    private readonly clock: Clock,
  ) {}

  /** Adds or replaces; all of one call are one generation of each slice. Returns those that were there before. */
  async write(
    documents: readonly NewDocument[],
    check: (earlier: readonly EarlierDocument[]) => void = () => undefined,
  ): Promise<EarlierDocument[]> {
    const slices = new Map((await this.slices.open(documents)).map((slice) => [sliceName(slice), slice]));
    const placed = documents.map((document) => ({ document, slice: sliceOf(slices, document) }));
    const ids = placed.map(({ document }) => document.id);
    const sliceIds = placed.map(({ slice }) => slice.id);
    const earlier = await this.database.query<EarlierDocument>(EXISTING, [sliceIds, ids]);
    check(earlier);
    await this.database.execute(UPSERT, [
      sliceIds,
      ids,
      documents.map(({ fields }) => JSON.stringify(fields)),
      documents.map(({ fields }) => contentHash(fields)),
      placed.map(({ slice }) => slice.generation),
      this.clock.now(),
    ]);
    const count = (list: readonly { sliceId: string }[], slice: OpenSlice) =>
      list.filter(({ sliceId }) => sliceId === slice.id).length;
    const written = sliceIds.map((sliceId) => ({ sliceId }));
    await this.slices.changed(
      [...slices.values()].map((slice) => {
        const changed = count(written, slice);
        return { slice, documents: changed, more: changed - count(earlier, slice) };
      }),
    );
    await this.embeddings.wanted();
    return earlier;
  }

  /** Holds the slices of documents that are to be read and then written. */
  async hold(documents: readonly SliceKey[]): Promise<void> {
    await this.slices.hold(documents);
  }

  /** Takes the document out of these slices. Returns what it was; nothing where there was none. */
  async remove(
    id: string,
    keys: readonly SliceKey[],
    check: (earlier: readonly EarlierDocument[]) => void,
  ): Promise<EarlierDocument[]> {
    const slices = await this.slices.open(keys, 'pass');
    const sliceIds = slices.map((slice) => slice.id);
    const earlier = await this.database.query<EarlierDocument>(EXISTING, [sliceIds, sliceIds.map(() => id)]);
    check(earlier);
    const generations = slices.map(({ generation }) => generation);
    await this.database.execute(REMOVE, [sliceIds, generations, id, this.clock.now()]);
    await this.slices.changed(slices.map((slice) => ({ slice, documents: 1, more: -1 })));
    return earlier;
  }
}

function sliceOf(slices: ReadonlyMap<string, OpenSlice>, document: NewDocument): OpenSlice {
  const slice = slices.get(sliceName(document));
  if (!slice) throw new Error(`The slice ${sliceName(document)} was not opened`);
  return slice;
}
