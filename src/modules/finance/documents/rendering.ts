import { Worker } from 'node:worker_threads';
import type { InvoiceDocument } from './invoice-document.js';
import { renderHtml } from './invoice-html.js';
import type { RenditionFormat } from './invoice-rendition.entity.js';

const TIMEOUT_MS = 60_000;

/** The same document always gives the same bytes. */
export async function render(document: InvoiceDocument, format: RenditionFormat): Promise<Uint8Array> {
  switch (format) {
    case 'html':
      return renderHtml(document);
    case 'pdf':
      return renderInThread(document);
  }
}

/** Runs in its own thread, so that the event loop stays free. */
async function renderInThread(document: InvoiceDocument): Promise<Uint8Array> {
  const thread = new Worker(new URL('./pdf-thread.js', import.meta.url), {
    workerData: JSON.stringify(document),
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const timer = setTimeout(() => void thread.terminate(), TIMEOUT_MS);
  try {
    return await new Promise<Uint8Array>((resolve, reject) => {
      thread.once('message', (bytes: unknown) => {
        if (bytes instanceof Uint8Array) resolve(bytes);
        else reject(new Error('The rendering thread returned no bytes'));
      });
      thread.once('error', reject);
      thread.once('exit', (code) => reject(new Error(`The rendering thread ended with ${code}`)));
    });
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
