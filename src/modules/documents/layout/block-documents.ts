import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { FileStore } from '../../../platform/files/file-store.js';
import { renderInThread } from '../../../platform/pdf/pdf-threads.js';
import type { DocumentLanguage } from '../../organization/index.js';
import type { PrintedBlocks, PrintedLogo } from './blocks.js';
import { type CompanyCopy, companyValues } from './company-values.js';

const THREAD = new URL('./blocks-thread.js', import.meta.url);

/** The company and the day of a document. */
interface PrintingTerms {
  company: CompanyCopy;
  language: DocumentLanguage;
  /** `YYYY-MM-DD`. */
  day: string;
}

/** Renders blocks with the data of the company. */
@Injectable()
export class BlockDocuments {
  constructor(private readonly files: FileStore) {}

  /** Texts with the name of a placeholder of the company are replaced by its data. */
  async print(
    { texts, ...document }: Pick<PrintedBlocks, 'title' | 'orientation' | 'blocks' | 'texts'>,
    { company, language, day }: PrintingTerms,
  ): Promise<Uint8Array> {
    const printed: PrintedBlocks = {
      ...{ ...document, language, day },
      texts: { ...texts, values: { ...texts.values, ...companyValues(company, { language, day }) } },
      logo: await this.logoOf(company),
    };
    return renderInThread(THREAD, printed);
  }

  /** Prints the document without its logo if the file was deleted from the store. */
  private async logoOf({ logo }: CompanyCopy): Promise<PrintedLogo | null> {
    const file = logo && (await this.files.open(logo.sha256));
    if (!logo || !file) return null;
    const { type, widthPixels, heightPixels } = logo;
    const bytes = await buffer(file.stream);
    return { dataUrl: `data:${type};base64,${bytes.toString('base64')}`, widthPixels, heightPixels };
  }
}
