import { Injectable } from '@nestjs/common';
import { type RecordedAction, Reverses, type ReversalResult } from '../../action-ledger/index.js';
import { InvitationsService } from './invitations.service.js';

/** Reverses ledger entries of invitations. */
@Injectable()
export class InvitationReversals {
  constructor(private readonly invitations: InvitationsService) {}

  /** Revokes the invitation. Throws 409 `invitation_closed`. */
  @Reverses('identity.invitation.create')
  async reverseCreation({ subjectId }: RecordedAction): Promise<ReversalResult> {
    return this.invitations.reverse(subjectId);
  }
}
