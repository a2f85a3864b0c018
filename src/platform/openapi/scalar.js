/* Starts Scalar on the page at /reference. It only reads: requests are tried at /docs. */

// Its validation library would try to compile code, which the policy of the page forbids.
window.__zod_globalConfig = { jitless: true };

document.addEventListener('DOMContentLoaded', () => {
  window.Scalar.createApiReference('#reference', {
    url: '/openapi.json',
    // Its editor of requests adds styles that no policy can name in advance.
    hideTestRequestButton: true,
    hideClientButton: true,
    showDeveloperTools: 'never',
    // Each of these would send requests to servers of its maker.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    persistAuth: false,
  });
});
