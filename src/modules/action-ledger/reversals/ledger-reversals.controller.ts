import { Body, Controller, Get, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { created } from '../../../platform/http/response-headers.js';
import { PathId } from '../../../platform/http/path-id.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { LimitOperation } from '../../../platform/admission/request-shares.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { LEDGER_ENTRIES_PATH } from '../entries/ledger-entries.service.js';
import { LedgerEntryEnvelope, toDetail } from '../entries/ledger-entry.dto.js';
import { LedgerReversalsService } from './ledger-reversals.service.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { ReversalPreviewEnvelope, ReverseEntry, toPreview } from './reversal.dto.js';

@ApiGroup('Action ledger')
@Controller(`${LEDGER_ENTRIES_PATH}/:id`)
export class LedgerReversalsController {
  constructor(private readonly reversals: LedgerReversalsService) {}

  /**
   * Reverse a recorded action
   *
   * @remarks Reverses a recorded action and returns the ledger entry of the reversal. If external systems must be informed, the
   * entry is `running` until that succeeded. The caller also needs the scopes of the operation that performs the action and of
   * the operation with the same effect as the reversal; the error names the missing one. An action can be reversed once.
   * Actions without reversal and erased entries are rejected; if the current state prevents it, 409 `reversal_conflict` names
   * the cause in `details.reason`. With `recordOnly`, an action that cannot be reversed gets an entry that changes nothing else
   * (`state` is `recorded`), once; an action that can be reversed is rejected.
   */
  @ApiOperation({ operationId: 'ledgerEntries_reverse' })
  @Post('reversals')
  @RequireScope('action-ledger:reverse')
  @Mutates('<action>.reverse', {
    alternatives: ['<action>.reverse_recorded'],
    irreversible: 'A reversal cannot be reversed: perform the action again',
  })
  @Refuses({ 409: ['already_recorded', 'already_reversed', 'not_reversible', 'reversal_conflict', 'reversible'] })
  async reverse(@PathId('aled', 'id', 2) id: string, @Body() body: ReverseEntry): Promise<LedgerEntryEnvelope> {
    const entry = await this.reversals.answer(id, body);
    return created(`${LEDGER_ENTRIES_PATH}/${entry.id}`, {}, { data: toDetail(entry) });
  }

  /**
   * Preview the reversal of an action
   *
   * @remarks Returns the state of the resource before and after a reversal, or the error with which it would be rejected now.
   * Nothing is changed. The caller also needs the read scope of the module that recorded the action.
   */
  @ApiOperation({ operationId: 'ledgerEntries_previewReversal' })
  @Get('reversal-preview')
  @RequireScope('action-ledger:read')
  @LimitOperation({ name: 'reversal-preview', maxConcurrent: 4 })
  async preview(@PathId('aled', 'id', 2) id: string): Promise<ReversalPreviewEnvelope> {
    const preview = await this.reversals.preview(id);
    return { data: toPreview(id, preview) };
  }
}
