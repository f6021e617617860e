// Before the first paint: the theme that was asked for in the address or chosen earlier.
(function () {
  "use strict";
  var theme = new URLSearchParams(location.search).get("theme");
  try { theme = theme || localStorage.getItem("sqljury-theme"); } catch (error) { /* no storage */ }
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
})();
