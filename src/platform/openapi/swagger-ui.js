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

/** Shows the successful responses of an operation, and the errors only on request. */
function foldErrors() {
  const responses = (Responses, { React }) =>
    function FoldedResponses(props) {
      const [isOpen, setOpen] = React.useState(false);
      const successes = props.responses.filter((_, status) => Number(status) < 400);
      const count = props.responses.size - successes.size;
      const shown = isOpen || successes.size === 0 ? props.responses : successes;
      const label = isOpen ? 'Hide error responses' : `Show ${count} error responses`;
      const toggle = React.createElement(
        'button',
        { className: 'btn fold-errors', type: 'button', onClick: () => setOpen(!isOpen) },
        label,
      );
      const list = React.createElement(Responses, { ...props, responses: shown });
      return React.createElement('div', null, list, count > 0 && successes.size > 0 ? toggle : null);
    };
  return { wrapComponents: { responses } };
}

/** Offers no "Try it out" for an operation that responds with a stream: the page shows a response only when it has ended. */
function executeNoStreams() {
  const allowTryItOutFor =
    (allowed, { specSelectors }) =>
    (state, path, method) => {
      const content = specSelectors.specJson().getIn(['paths', path, method, 'responses', '200', 'content']);
      return content?.has('text/event-stream') ? false : allowed(state, path, method);
    };
  return { statePlugins: { spec: { wrapSelectors: { allowTryItOutFor } } } };
}

/** Puts the cursor into the first field of the Authorize dialog when it opens. */
function focusFirstCredential() {
  let isOpen = false;
  new MutationObserver(() => {
    const field = document.querySelector('.dialog-ux .auth-container input');
    if (field && !isOpen) field.focus();
    isOpen = field !== null;
  }).observe(document.querySelector('#swagger-ui'), { childList: true, subtree: true });
}

/** Logs in with the form of a development service, and fills in the staff token. */
function logInByForm(ui) {
  const form = document.querySelector('#log-in');
  if (!form) return;
  const status = form.querySelector('output');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { email, password } = Object.fromEntries(new FormData(form));
    const answer = await fetch('/v1/admin/identity/sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email, password }),
    });
    const body = await answer.json();
    if (answer.ok) ui.preauthorizeApiKey('staffToken', body.data.token);
    status.textContent = answer.ok ? `Logged in as ${email}` : body.error;
  });
}

// Earlier versions of this page kept tokens there.
window.localStorage.removeItem('authorized');

window.ui = window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  plugins: [findOperations, drawAllOperations, foldErrors, executeNoStreams],
  onComplete: () => {
    focusFirstCredential();
    logInByForm(window.ui);
  },
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  // A token is kept by the open page only: localStorage outlives the browser session.
  persistAuthorization: false,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
