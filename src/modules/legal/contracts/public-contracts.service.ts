import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { currentContext } from '../../../platform/context/request-context.js';
import { Database } from '../../../platform/database/database.js';
import { AppError, notFound } from '../../../platform/errors/app-error.js';
import { LOG } from '../../../platform/observability/log.js';
import type { PublicContract, ShownStatus } from './public-contract.dto.js';

/** As it is kept, less the drafts. An issued contract has a number; the table's checks say so. */
type Row = Omit<PublicContract, 'status'> & { status: ShownStatus | 'void' };

/** What a customer may see of a contract. A draft is as unknown as an id that was never given. */
@Injectable()
export class PublicContracts {
  constructor(
    private readonly database: Database,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Throws 404, 410 `contract_gone`. The access is logged with the caller's address. */
  async get(id: string, address: string): Promise<PublicContract> {
    const [row] = await this.database.prepared<Row>(
      'public-contract',
      `select id, title, status, contract_number as "contractNumber", body, language
       from contracts where id = $1 and status <> 'draft'`,
      [id],
    );
    const { requestId } = currentContext();
    this.log.info({ contractId: id, status: row?.status ?? null, address, requestId }, 'public contract access');
    if (!row) throw notFound();
    const { status } = row;
    if (status === 'void') throw new AppError(410, 'contract_gone', 'The contract is no longer valid');
    return { ...row, status };
  }
}
