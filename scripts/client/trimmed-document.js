/** Members of a schema or an operation that no type shows. */
const UNTYPED = new Set([
  ...['description', 'summary', 'example', 'examples', 'externalDocs', 'title', 'default', 'format', 'pattern'],
  ...['minLength', 'maxLength', 'minimum', 'maximum'],
]);
const ERROR = /^[45]/;

/**
 * The API document without everything that the types of the client do not need: texts, bounds, errors (the client has one type
 * for all of them), the keys that it sends itself, and components without a use.
 */
export function trimmedDocument(document) {
  const { paths, components } = withoutTexts(document);
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  for (const operation of operations) {
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses)
        .filter(([status]) => !ERROR.test(status))
        .map(([status, { content }]) => [status, { description: '', ...(content && { content }) }]),
    );
    const parameters = (operation.parameters ?? []).map(
      (one) => components.parameters[one.$ref?.split('/').at(-1)] ?? one,
    );
    operation.parameters = parameters.filter(({ name, deprecated }) => name !== 'Idempotency-Key' && !deprecated);
  }
  return { ...document, paths, components: usedBy(paths, components) };
}

/** The codes of all errors, in the order of the alphabet. */
export function errorCodes({ components, paths }) {
  const codes = new Set();
  const collect = (node, isCode) => {
    if (Array.isArray(node)) node.forEach((each) => collect(each, isCode));
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    if (isCode && node.enum) node.enum.forEach((code) => codes.add(code));
    if (isCode && node.$ref) collect(components.schemas[node.$ref.split('/').at(-1)], true);
    for (const [name, member] of Object.entries(node)) collect(member, name === 'code' || (isCode && name !== 'enum'));
  };
  const errors = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap(({ responses }) =>
      Object.entries(responses).flatMap(([status, response]) => (ERROR.test(status) ? [response] : [])),
    ),
  );
  for (const error of errors) {
    const { $ref = '' } = error;
    collect($ref === '' ? error : components.responses[$ref.split('/').at(-1)], false);
  }
  return [...codes].sort();
}

function withoutTexts(node, isNamed = false) {
  if (Array.isArray(node)) return node.map((each) => withoutTexts(each));
  if (typeof node !== 'object' || node === null) return node;
  const members = Object.entries(node).filter(([name]) => isNamed || !UNTYPED.has(name));
  return Object.fromEntries(
    members.map(([name, member]) => [name, withoutTexts(member, !isNamed && name === 'properties')]),
  );
}

function usedBy(paths, components) {
  const used = {};
  const collect = (node) => {
    if (Array.isArray(node)) node.forEach(collect);
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
    for (const [name, member] of Object.entries(node)) {
      if (name !== '$ref') collect(member);
      else add(...member.split('/').slice(2));
    }
  };
  const add = (section, name) => {
    used[section] ??= {};
    if (name in used[section]) return;
    used[section][name] = components[section][name];
    collect(components[section][name]);
  };
  collect(paths);
  return used;
}
