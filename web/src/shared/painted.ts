/** Wait until the page, which is in its file, has been read and painted. What is loaded before that would hold back its first paint.
    In a tab that is not shown nothing is painted, nor waited for. */
export async function painted(): Promise<void> {
  const read = new Promise((done) => document.addEventListener('DOMContentLoaded', done, { once: true }));
  const shown = new Promise<void>((done) => {
    if (document.hidden) return done();
    // Where an address leads to something that has to be loaded, there may be nothing but the ground to paint.
    const opens = 'opens' in document.documentElement.dataset;
    new PerformanceObserver((list, observer) => {
      if (!opens && !list.getEntriesByName('first-contentful-paint').length) return;
      observer.disconnect();
      done();
    }).observe({ type: 'paint', buffered: true });
    // There may be nothing to paint. That is known after some frames, however long the machine takes for one.
    void read.then(() => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 500))));
    document.addEventListener('visibilitychange', () => done(), { once: true }); // no frames come then
  });
  await Promise.all([read, shown]);
}
