import {
  ASSIGNMENTS,
  aProduct,
  assign,
  newDraft,
  newPolicy,
  POLICIES,
  policy,
  publish,
  version,
} from '../legal/policies.js';
import { inside, made, on, type Recipe, staff } from './recipe.js';

const VERSIONS = `${POLICIES}/{id}/versions`;

export const legalRecipes: Record<string, Recipe> = {
  [`POST ${POLICIES}`]: async (app) => ({ ...staff(app), body: policy(), subject: made('policy') }),
  [`PATCH ${POLICIES}/{id}`]: async (app) => {
    const { id } = await newPolicy(app);
    return { ...staff(app), ...on('policy', id), body: { language: 'de' } };
  },

  [`POST ${VERSIONS}`]: async (app) => {
    const { id } = await newPolicy(app);
    return { ...staff(app), parameters: { id }, body: version(), subject: made('policy_version') };
  },
  [`PATCH ${VERSIONS}/{versionId}`]: async (app) => {
    const { policyId: id, id: versionId } = await newDraft(app, (await newPolicy(app)).id);
    return { ...staff(app), ...inside('policy_version', versionId, { id, versionId }), body: { title: 'Changed' } };
  },
  [`POST ${VERSIONS}/{versionId}/publication`]: async (app) => {
    const { id } = await newPolicy(app);
    await publish(app, await newDraft(app, id));
    const { id: versionId } = await newDraft(app, id);
    const follows = ['legal.policy_version.retire'];
    return { ...staff(app), ...inside('policy_version', versionId, { id, versionId }), follows };
  },
  [`POST ${VERSIONS}/{versionId}/retirement`]: async (app) => {
    const { policyId: id, id: versionId } = await publish(app, await newDraft(app, (await newPolicy(app)).id));
    return { ...staff(app), ...inside('policy_version', versionId, { id, versionId }) };
  },

  [`POST ${ASSIGNMENTS}`]: async (app) => {
    const { id: policyId } = await newPolicy(app);
    return { ...staff(app), body: { policyId, ...aProduct() }, subject: made('policy_assignment') };
  },
  [`PATCH ${ASSIGNMENTS}/{id}`]: async (app) => {
    const { id } = await assign(app, (await newPolicy(app)).id, aProduct());
    return { ...staff(app), ...on('policy_assignment', id), body: { priority: 1 } };
  },
  [`DELETE ${ASSIGNMENTS}/{id}`]: async (app) => {
    const { id } = await assign(app, (await newPolicy(app)).id, aProduct());
    return { ...staff(app), ...on('policy_assignment', id) };
  },
};
