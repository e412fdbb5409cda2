// Runs in the page once its recording is open. The test puts its own lines in place of the marked one.
addEventListener('load', async () => {
  const out = {};
  try {
    const player = await window.player;
    const text = (id) => document.getElementById(id).textContent;
    const key = (name) => dispatchEvent(new KeyboardEvent('keydown', {key: name, cancelable: true}));
    const later = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
    const count = (selector) => document.querySelectorAll(selector).length;
    const named = (node) => node.textContent || node.getAttribute('aria-label') || node.title || node.closest('label');
    SCRIPT;
  } catch (error) {
    out.error = String(error.stack ?? error);
  }
  parent.postMessage(JSON.stringify(out), '*');
});
