import { parentPort } from 'node:worker_threads';
import type { IndexAnswer, IndexCall } from './index-calls.js';
import type { SliceTraits, Synonym } from './search-index.js';
import { SliceIndex } from './slice-index.js';

/*
 * All searches of a process happen here, so that none of them holds up the process itself. Between two portions of a change
 * a search may come through.
 */

const PORTION = 50;

const slices = new Map<string, SliceIndex>();
/** Being built beside the ones that are searched. */
const drafts = new Map<string, SliceIndex>();
const traits = new Map<string, SliceTraits>();
let synonyms: readonly Synonym[] = [];

async function answer(call: IndexCall): Promise<Omit<IndexAnswer, 'number'>> {
  switch (call.kind) {
    case 'search':
      return { found: sliceOf(slices, call.sliceId).search(call.request) };
    case 'apply':
      return { figures: await apply(call) };
    case 'draft': {
      const draft = new SliceIndex(call.slice);
      draft.learn(synonymsFor(call.slice));
      drafts.set(call.slice.id, draft);
      traits.set(call.slice.id, call.slice);
      return {};
    }
    case 'swap': {
      const draft = sliceOf(drafts, call.sliceId);
      slices.set(call.sliceId, draft);
      drafts.delete(call.sliceId);
      return { figures: draft.figures() };
    }
    case 'learn':
      synonyms = call.synonyms;
      for (const [id, slice] of [...slices, ...drafts]) {
        const known = traits.get(id);
        if (known) slice.learn(synonymsFor(known));
      }
      return {};
  }
}

async function apply({ draft, sliceId, documents, generation, now }: Extract<IndexCall, { kind: 'apply' }>) {
  const slice = sliceOf(draft ? drafts : slices, sliceId);
  for (let start = 0; start < documents.length; start += PORTION) {
    slice.apply(0, documents.slice(start, start + PORTION), now);
    await new Promise((resolve) => setImmediate(resolve));
  }
  slice.apply(generation, [], now);
  return slice.figures();
}

function synonymsFor({ locale }: SliceTraits): Synonym[] {
  const [language] = locale.toLowerCase().split('-');
  return synonyms.filter((synonym) => synonym.language === language);
}

function sliceOf(map: ReadonlyMap<string, SliceIndex>, id: string): SliceIndex {
  const slice = map.get(id);
  if (!slice) throw new Error(`The slice ${id} is not here`);
  return slice;
}

parentPort?.on('message', (call: IndexCall) => {
  answer(call)
    .catch((error: unknown) => ({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }))
    .then((given) => parentPort?.postMessage({ number: call.number, ...given } satisfies IndexAnswer))
    .catch(() => process.exit(1));
});
