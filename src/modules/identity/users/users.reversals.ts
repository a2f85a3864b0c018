import { Injectable } from '@nestjs/common';
import { checkedAs } from '../../../platform/http/format-check.js';
import { type RecordedAction, Reverses, type ReversalResult } from '../../action-ledger/index.js';
import { RestoredUser } from './user.dto.js';
import { UsersService } from './users.service.js';

/** Reverses ledger entries of users. Sessions and tokens that a change has ended remain ended. */
@Injectable()
export class UserReversals {
  constructor(private readonly users: UsersService) {}

  /** Restores name, roles, language and status. Throws 403 for roles beyond the caller's scopes; 409 `changed_since`, `last_owner`. */
  @Reverses('identity.user.update')
  async reverseUpdate(entry: RecordedAction): Promise<ReversalResult> {
    return this.users.reverse(entry, await checkedAs(RestoredUser, entry.before));
  }
}
