/** Wait until the page, which is in its file, has been painted. In a tab that is not shown nothing is painted, nor waited for. */
export const painted = () => new Promise<void>((done) => {
  if (document.hidden) return done();
  new PerformanceObserver((_, observer) => { observer.disconnect(); done(); }).observe({ type: 'paint', buffered: true });
  setTimeout(done, 500);
});
