// @ts-check
// Runs before anything is painted, so that a remembered theme shows no flash of the other one.
;(() => {
  const root = document.documentElement
  root.classList.add('with-script')
  try {
    const theme = localStorage.getItem('theme')
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
  } catch {
    // Storage may be forbidden; the system's theme applies.
  }
})()
