import { Injectable } from '@nestjs/common';
import { DOCUMENT_LANGUAGES, type DocumentLanguage, OrganizationService } from '../organization/index.js';

/** Chooses the language of a mail. */
@Injectable()
export class MailLanguages {
  constructor(private readonly organization: OrganizationService) {}

  /** Returns the language that matches that of the customer or its primary language, otherwise that of the company. */
  async choose(tag: string | null): Promise<DocumentLanguage> {
    const [primary] = (tag ?? '').toLowerCase().split(/[-_]/);
    const known = DOCUMENT_LANGUAGES.find((language) => language === primary);
    return known ?? (await this.organization.getProfile()).defaultLanguage;
  }
}
