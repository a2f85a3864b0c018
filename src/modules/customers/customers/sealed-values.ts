import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { AppError, conflict } from '../../../platform/errors/app-error.js';
import { LOG } from '../../../platform/observability/log.js';
import { EncryptionService } from '../../vault/index.js';

/** The vault of the sensitive data of people; in production `platform provision` creates it. */
const VAULT = 'travelers';

/** The member of a record whose value is sealed. */
export interface SealedPlace {
  /** The id of the record. */
  readonly subject: string;
  readonly field: string;
}

/**
 * Seals sensitive values of people with the vault, each with the place where it belongs: a ciphertext that was copied to another
 * record cannot be opened there.
 */
@Injectable()
export class SealedValues {
  constructor(
    private readonly encryption: EncryptionService,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Throws 409 `vault_missing` if the vault does not exist. */
  async seal(place: SealedPlace, plaintext: string): Promise<string> {
    return this.encryption.encrypt(VAULT, { plaintext, context: contextOf(place) }).catch(rejectMissingVault);
  }

  /** Throws 409 `sealed_value_unreadable` if the value was sealed for another place or its key was destroyed. */
  async open(place: SealedPlace, ciphertext: string): Promise<string> {
    try {
      return await this.encryption.decrypt(VAULT, { ciphertext, context: contextOf(place) });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'undecryptable') return rejectMissingVault(error);
      this.log.error(place, 'a sealed value cannot be opened: it belongs to another record, or its key was destroyed');
      throw conflict('sealed_value_unreadable', 'A sealed value cannot be opened', {
        field: place.field,
        subjectId: place.subject,
      });
    }
  }
}

function contextOf({ subject, field }: SealedPlace): string {
  return `${subject} ${field}`;
}

function rejectMissingVault(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
  throw conflict('vault_missing', `Sensitive data needs the vault ${VAULT}, which does not exist`, { vault: VAULT });
}
