import type { PipeTransform } from '@nestjs/common';
import { invalidField, notFound } from '../../../platform/errors/app-error.js';
import { PathId, PathText } from '../../../platform/http/path-id.js';
import { demoId } from '../../../platform/ids/id.js';
import { GIVEN_ID } from './operator.entity.js';

const REFERENCE = /^[A-Za-z0-9_-]{1,128}$/;

const knownForm: PipeTransform<string, string> = {
  transform(id) {
    if (!GIVEN_ID.test(id)) throw notFound({ resource: 'operator' });
    return id;
  },
};

const knownGrantForm: PipeTransform<string, string> = {
  transform(id) {
    if (!GIVEN_ID.test(id)) throw notFound({ resource: 'grant' });
    return id;
  },
};

const referenceForm: PipeTransform<string, string> = {
  transform(id) {
    if (!REFERENCE.test(id)) throw invalidField('clientId', 'clientId must be the id of a client', 'wrong_format');
    return id;
  },
};

/** Reads the ID of an operator. A malformed ID is not found, like an unknown one. */
export function PathOperatorId(example = 'op_demo'): ParameterDecorator {
  return PathText(
    'operatorId',
    { description: 'ID of the operator.', maxLength: 64, pattern: GIVEN_ID, example },
    knownForm,
  );
}

/** Reads the ID of a grant. A malformed ID is not found, like an unknown one. */
export function PathGrantId(example = 'grant_demo'): ParameterDecorator {
  return PathText(
    'grantId',
    { description: 'ID of the grant.', maxLength: 64, pattern: GIVEN_ID, example },
    knownGrantForm,
  );
}

export function PathSecretId(): ParameterDecorator {
  return PathId('oasc', 'secretId');
}

/** Reads the public ID of a client, or the ID of the resource. Unlike other IDs, a malformed one is 400. */
export function PathClientId(demo = 1): ParameterDecorator {
  return PathText(
    'clientId',
    {
      description: 'Public client ID, or the ID of the resource (prefix `oacl`).',
      maxLength: 128,
      pattern: REFERENCE,
      example: demoId('oacl', demo),
    },
    referenceForm,
  );
}
