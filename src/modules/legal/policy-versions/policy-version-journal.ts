import { Injectable } from '@nestjs/common';
import { Outbox } from '../../../platform/outbox/outbox.js';
import { ActionLedger } from '../../action-ledger/index.js';
import type { VersionView } from './policy-version-rows.service.js';

type Verb = 'create' | 'update' | 'publish' | 'retire';

/** Facts of a version that the ledger keeps. Not what it says: its digest proves it. */
export function imageOfVersion({ version, rules }: VersionView): object {
  return {
    policyId: version.policyId,
    number: version.number,
    title: version.title,
    status: version.status,
    sha256: version.sha256 ?? version.digest(rules),
    version: version.version,
  };
}

/** What is recorded and told of versions. */
@Injectable()
export class PolicyVersionJournal {
  constructor(
    private readonly ledger: ActionLedger,
    private readonly outbox: Outbox,
  ) {}

  record(verb: Verb, view: VersionView, before: object | null): void {
    const subject = { subjectType: 'policy_version', subjectId: view.version.id };
    this.ledger.record(`legal.policy_version.${verb}`, { ...subject, before, after: imageOfVersion(view) });
  }

  announce(fact: 'published' | 'retired', { version }: VersionView): void {
    const { id: versionId, policyId, number, sha256 } = version;
    this.outbox.add({
      channel: 'legal.policies',
      event: `policy.${fact}`,
      data: { policyId, versionId, number, sha256 },
    });
  }
}
