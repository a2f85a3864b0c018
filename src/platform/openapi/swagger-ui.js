/* Starts Swagger UI on the page at /docs. */

/** Finds operations whose tag, method, path, summary and id together contain every word, ignoring case. */
function findOperations() {
  const opsFilter = (tags, phrase) => {
    const words = phrase.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (tag, operation) => {
      const members = [operation.get('method'), operation.get('path')];
      const described = ['summary', 'operationId'].map((name) => operation.getIn(['operation', name], ''));
      const text = [tag, ...members, ...described].join(' ').toLowerCase();
      return words.every((word) => text.includes(word));
    };
    return tags
      .map((group, tag) =>
        group.set(
          'operations',
          group.get('operations').filter((found) => matches(tag, found)),
        ),
      )
      .filter((group) => group.get('operations').size > 0);
  };
  return { fn: { opsFilter } };
}

/** Draws every operation. Swagger UI draws only the visible ones from 150 on, and the browser's search misses the others. */
function drawAllOperations({ React }) {
  const draw = React.createElement;
  const Operations = ({ specSelectors, getComponent, oas3Selectors, layoutSelectors, layoutActions, getConfigs }) => {
    const OperationContainer = getComponent('OperationContainer', true);
    const OperationTag = getComponent('OperationTag');
    const tags = specSelectors.taggedOperations();
    if (tags.size === 0) return draw('h3', null, 'No operation matches the filter');
    const shared = {
      oas3Selectors,
      layoutSelectors,
      layoutActions,
      getConfigs,
      getComponent,
      specUrl: specSelectors.url(),
    };
    const drawOperation = (tag) => (operation) => {
      const [path, method] = [operation.get('path'), operation.get('method')];
      const specPath = operation.get('specPath');
      return draw(OperationContainer, { key: `${path}-${method}`, specPath, op: operation, path, method, tag });
    };
    const drawTag = (group, tag) => {
      const operations = group.get('operations').map(drawOperation(tag)).toArray();
      const content = draw('div', { className: 'operation-tag-content' }, operations);
      return draw(OperationTag, { key: tag, tagObj: group, tag, ...shared }, content);
    };
    return draw('div', null, tags.map(drawTag).valueSeq().toArray());
  };
  return { components: { operations: Operations } };
}

// Earlier versions of this page kept tokens there.
window.localStorage.removeItem('authorized');

window.ui = window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  plugins: [findOperations, drawAllOperations],
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  // A token is kept by the open page only: localStorage outlives the browser session.
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
