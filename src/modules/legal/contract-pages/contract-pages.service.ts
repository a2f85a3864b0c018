import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { currentContext } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { randomBase62 } from '../../../platform/ids/id.js';
import { LOG } from '../../../platform/observability/log.js';
import { ContractLinks } from '../../notifications/index.js';
import { contractPage, noticePage, type PageLanguage, pageLanguageOf, type ShownContract } from './contract-page.js';

export const CONTRACT_PAGES_PATH = '/v1/public/legal/contract-pages';

/**
 * A token has 256 random bits, as letters and digits only, because mail programs leave `-` and `_` at the end out of a link.
 */
const TOKEN_LENGTH = 43;
const TOKEN = /^[0-9A-Za-z]{43}$/;

export interface ContractPage {
  status: 200 | 404 | 410;
  html: string;
  /** The browser may apply only this style. */
  nonce: string;
}

/** Serves the pages of contracts that links in mails open. The links contain their own tokens, not ids. */
@Injectable()
@Listens(ContractLinks, 10)
export class ContractPagesService extends ContractLinks {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly env: Env,
    @Inject(LOG) private readonly log: Logger,
  ) {
    super();
  }

  async create(contractReference: string): Promise<string | null> {
    const token = randomBase62(TOKEN_LENGTH);
    const { count } = await this.database.execute(
      `insert into contract_page_tokens (token_sha256, contract_id, created_at)
       select $1, id, $3 from contracts
       where id = $2 and status <> 'void' and withdrawn_at is null and public_until > $3::timestamptz`,
      [digestOf(token), contractReference, this.clock.now()],
    );
    return count === 0 ? null : `${this.env.baseUrl}${CONTRACT_PAGES_PATH}/${token}`;
  }

  /** Returns the page for a token. Unknown tokens and ended access get the same page, in the language of the browser. */
  async open(token: string, languageOfBrowser: PageLanguage): Promise<ContractPage> {
    const contract = TOKEN.test(token) ? await this.find(token) : null;
    const { requestId } = currentContext();
    const access = { contract: contract?.reference ?? null, status: contract?.status ?? null };
    this.log.info({ ...access, requestId }, 'contract page access');

    const nonce = randomBytes(16).toString('base64url');
    const company = this.env;
    if (!contract) {
      return { status: 404, html: noticePage('notFound', { language: languageOfBrowser, company, nonce }), nonce };
    } else if (contract.status === 'void') {
      const language = pageLanguageOf(contract.language);
      return { status: 410, html: noticePage('void', { language, company, nonce }), nonce };
    } else {
      return { status: 200, html: contractPage(contract, company, nonce), nonce };
    }
  }

  private async find(token: string): Promise<(ShownContract & { reference: string }) | null> {
    const [row] = await this.database.prepared<ShownContract & { reference: string }>(
      'contract-page',
      `select contract.id as reference, title, status, contract_number as "contractNumber", body, language
       from contract_page_tokens token join contracts contract on contract.id = token.contract_id
       where token.token_sha256 = $1 and withdrawn_at is null and public_until > $2`,
      [digestOf(token), this.clock.now()],
    );
    return row ?? null;
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
