import { type CommandContext, type Outcome, ProgressReport } from './command.js';
import { CatalogAdministrationService, StartReindex } from '../modules/catalog/index.js';
import { asSystem } from '../platform/context/request-context.js';
import { checkedAs } from '../platform/http/format-check.js';

/** Rebuilds the search index of the catalog, and waits until it is complete. */
export async function reindex({ app, options, tools }: CommandContext): Promise<Outcome> {
  const values = ['vertical', 'locale', 'market'].flatMap((name) => {
    const value = options.find(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const embeddings = options.has('renewEmbeddings') ? 'renew' : 'reuse';
  const request = await checkedAs(StartReindex, { ...Object.fromEntries(values), embeddings });
  const progress = new ProgressReport(tools, 'rebuilding the index', 'documents and vectors');
  let total = 0;
  const report = (left: number) => {
    total = Math.max(total, left);
    progress.update(total - left, total);
  };
  const rebuilt = await asSystem(() => app.get(CatalogAdministrationService).rebuild(request, report));
  progress.end();
  const { slices, documents, vectors } = rebuilt;
  const lines = [`Rebuilt the index of ${documents} documents in ${slices} slices; computed ${vectors} vectors`];
  return { result: rebuilt, lines };
}
