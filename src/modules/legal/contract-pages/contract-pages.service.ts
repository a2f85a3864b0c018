import { OrganizationService } from '../../organization/index.js';
import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { Clock } from '../../../platform/clock/clock.js';
import { Env } from '../../../platform/config/env.js';
import { SYSTEM } from '../../../platform/context/actor.js';
import { currentContext, openContext } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { Listens } from '../../../platform/discovery/listeners.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import { randomBase62 } from '../../../platform/ids/id.js';
import type { HtmlPage } from '../../../platform/http/html-page.js';
import { LOG } from '../../../platform/observability/log.js';
import { ContractLinks } from '../../notifications/index.js';
import { ContractsService } from '../contracts/contracts.service.js';
import {
  contractPage,
  noticePage,
  type PageLanguage,
  pageLanguageOf,
  type ShownContract,
  statementIn,
} from './contract-page.js';
import type { SignatureForm } from './signature-form.js';

export const CONTRACT_PAGES_PATH = '/v1/public/legal/contract-pages';

/**
 * A token has 256 random bits, as letters and digits only, because mail programs leave `-` and `_` at the end out of a link.
 */
const TOKEN_LENGTH = 43;
const TOKEN = /^[0-9A-Za-z]{43}$/;

type FoundContract = ShownContract & { reference: string };

interface Signed {
  signedAt: Date | null;
  signerName: string | null;
}

/** Serves the pages of contracts that links in mails open. The links contain their own tokens, not ids. */
@Injectable()
@Listens(ContractLinks, 10)
export class ContractPagesService extends ContractLinks {
  constructor(
    private readonly database: Database,
    private readonly contracts: ContractsService,
    private readonly organization: OrganizationService,
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
  async open(token: string, languageOfBrowser: PageLanguage): Promise<HtmlPage> {
    return this.pageOf(await this.find(token), languageOfBrowser);
  }

  /**
   * Signs the contract and returns its page. A contract that is signed already keeps its signature; one that can no longer be signed
   * has a page with status 409. Throws 400 for a wrong form, and for another text than that of the contract.
   */
  async sign(token: string, readForm: () => SignatureForm, languageOfBrowser: PageLanguage): Promise<HtmlPage> {
    const contract = await this.find(token);
    if (!contract || contract.status === 'void') return this.pageOf(contract, languageOfBrowser);
    const form = readForm();
    if (contract.bodySha256 !== form.bodySha256) {
      throw invalidField('bodySha256', 'bodySha256 must be that of the contract', 'unknown_value');
    }
    if (contract.status === 'sent') await this.record(contract, form.name);
    const present = await this.find(token);
    const page = await this.pageOf(present, languageOfBrowser);
    return page.status === 200 && present?.signature === null ? { ...page, status: 409 } : page;
  }

  private async pageOf(contract: FoundContract | null, languageOfBrowser: PageLanguage): Promise<HtmlPage> {
    const { requestId } = currentContext();
    const access = { contract: contract?.reference ?? null, status: contract?.status ?? null };
    this.log.info({ ...access, requestId }, 'contract page access');

    const profile = await this.organization.getProfile();
    const { address, vatId, taxId } = profile;
    const company = { name: profile.displayName(), address, taxId: vatId ?? taxId };
    if (!contract) return noticePage('notFound', { language: languageOfBrowser, company });
    else if (contract.status !== 'void') return contractPage(contract, company);
    else return noticePage('void', { language: pageLanguageOf(contract.language), company });
  }

  /** The contract may be declared void, withdrawn or expire meanwhile: then it is not signed. */
  private async record({ reference, language }: FoundContract, signerName: string): Promise<void> {
    const context = currentContext();
    const signature = {
      ...{ signerName, signedStatement: statementIn(language), signerAddress: context.client?.address || null },
      signerAgent: context.client?.userAgent || null,
    };
    try {
      await openContext({ ...context, actor: SYSTEM }, () => this.contracts.sign(reference, signature));
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 409) throw error;
    }
  }

  private async find(token: string): Promise<FoundContract | null> {
    if (!TOKEN.test(token)) return null;
    const [row] = await this.database.prepared<Omit<FoundContract, 'signature'> & Signed>(
      'contract-page',
      `select contract.id as reference, title, contract_number as "contractNumber", body, language,
         case when status in ('issued', 'sent') and expires_at <= $2 then 'expired' else status end as status,
         body_sha256 as "bodySha256", signed_at as "signedAt", signer_name as "signerName"
       from contract_page_tokens token join contracts contract on contract.id = token.contract_id
       where token.token_sha256 = $1 and withdrawn_at is null and public_until > $2`,
      [digestOf(token), this.clock.now()],
    );
    if (!row) return null;
    const { signedAt, signerName, ...contract } = row;
    const signature = signedAt && { name: signerName ?? '', day: this.clock.dayOf(signedAt) };
    return { ...contract, signature };
  }
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
